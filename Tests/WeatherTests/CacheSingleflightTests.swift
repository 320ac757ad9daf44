import Synchronization
import TestSupport
import Testing
import Transport

@testable import Weather

@Suite struct CacheSingleflightTests {
    private let world = CacheTestWorld()
    private let upstream = CacheTestUpstream()

    private func makeCache(_ policy: CachePolicy = CachePolicy()) -> WeatherCache {
        WeatherCache(over: upstream, policy: policy, environment: world.environment)
    }

    private func ask(
        _ cache: WeatherCache, for coordinate: Coordinate = bergen, within time: Duration = .seconds(8)
    ) -> Task<Result<CachedWeather, WeatherError>, Never> {
        let deadline = world.after(time)
        return Task {
            do throws(WeatherError) {
                return .success(try await cache.lookUp(coordinate, until: deadline))
            } catch {
                return .failure(error)
            }
        }
    }

    @Test func tenThousandWaitersCostOneQuestion() async throws {
        let cache = makeCache()
        upstream.shut()
        let waiters = (0..<10_000).map { _ in ask(cache) }
        await eventually { cache.counters.waiters == 10_000 }
        #expect(cache.counters.calls == 1)
        upstream.open()
        for waiter in waiters {
            #expect(try await waiter.value.get().temperature == 10)
        }
        #expect(upstream.calls == 1)
        let counters = cache.counters
        #expect(counters.misses == 1)
        #expect(counters.joined == 9_999)
        #expect(counters.calls == 0)
        #expect(counters.waiters == 0)
        #expect(world.timerCount == 0, "no timer is left behind")
    }

    @Test func aLateJoinerGetsTheAnswer() async throws {
        let cache = makeCache()
        upstream.shut()
        let first = ask(cache)
        await eventually { cache.counters.waiters == 1 && upstream.waitingCalls == 1 }
        world.pass(.seconds(5))
        let late = ask(cache, within: .seconds(1))
        await eventually { cache.counters.waiters == 2 }
        upstream.open()
        #expect(try await first.value.get().temperature == 10)
        #expect(try await late.value.get().temperature == 10)
        #expect(upstream.calls == 1)
    }

    @Test func aLateJoinerGetsItsOwnTimeOutAndTheCallGoesOn() async throws {
        let cache = makeCache()
        upstream.shut()
        let first = ask(cache)
        await eventually { upstream.waitingCalls == 1 }
        let late = ask(cache, within: .seconds(1))
        await eventually { cache.counters.waiters == 2 }
        world.pass(.milliseconds(999))
        #expect(cache.counters.waiters == 2, "not before its time")
        world.pass(.milliseconds(1))
        guard case .failure(.outOfTime) = await late.value else {
            Issue.record("the late one got no time-out")
            return
        }
        #expect(cache.counters.waiters == 1)
        #expect(upstream.cancelledCalls == 0)
        upstream.open()
        #expect(try await first.value.get().temperature == 10)
    }

    @Test func aWaiterWhoseTimeIsUpAsksNothing() async {
        let cache = makeCache()
        guard case .failure(.outOfTime) = await ask(cache, within: .zero).value else {
            Issue.record("it was given time")
            return
        }
        #expect(upstream.calls == 0)
    }

    @Test func aTaskThatWasCancelledBeforeAsksNothing() async {
        let cache = makeCache()
        let gate = Mutex(false)
        let deadline = world.after(.seconds(8))
        let task = Task { () -> WeatherError? in
            while !gate.withLock({ $0 }) { await Task.yield() }
            do throws(WeatherError) { _ = try await cache.lookUp(bergen, until: deadline) } catch {
                return error
            }
            return nil
        }
        task.cancel()
        gate.withLock { $0 = true }
        #expect(await task.value == .cancelled)
        #expect(upstream.calls == 0)
        #expect(cache.counters.calls == 0)
    }

    @Test func theLastWaitersLeavingCancelsTheCall() async {
        let cache = makeCache()
        upstream.shut()
        let (first, second) = (ask(cache), ask(cache))
        await eventually { cache.counters.waiters == 2 && upstream.waitingCalls == 1 }
        first.cancel()
        guard case .failure(.cancelled) = await first.value else {
            Issue.record("not cancelled")
            return
        }
        #expect(upstream.cancelledCalls == 0)
        #expect(cache.counters.calls == 1)
        second.cancel()
        guard case .failure(.cancelled) = await second.value else {
            Issue.record("not cancelled")
            return
        }
        await eventually { upstream.cancelledCalls == 1 }
        let counters = cache.counters
        #expect(counters.cancelled == 1)
        #expect(counters.failures == 0)
        #expect(counters.entries == 0)
        await eventually { world.timerCount == 0 }
    }

    @Test func aNewcomerNeverInheritsACancellation() async throws {
        let cache = makeCache()
        upstream.shut()
        upstream.ignoreCancellation()
        let leaver = ask(cache)
        await eventually { upstream.waitingCalls == 1 }
        leaver.cancel()
        _ = await leaver.value
        // The cancelled question is still out there, and the newcomer asks its own.
        let newcomer = ask(cache)
        await eventually { upstream.waitingCalls == 2 }
        upstream.setTemperature(1)
        upstream.letOneThrough()
        // The old call's answer is nobody's: it is not even kept.
        for _ in 0..<200 { await Task.yield() }
        #expect(cache.counters.successes == 0)
        #expect(cache.counters.waiters == 1)
        upstream.setTemperature(2)
        upstream.open()
        #expect(try await newcomer.value.get().temperature == 2)
        #expect(upstream.calls == 2)
        #expect(cache.hit(bergen)?.temperature == 2)
    }

    @Test func aCallThatDoesNotKeepToItsTimeIsGivenUp() async {
        let cache = makeCache()
        upstream.shut()
        upstream.ignoreCancellation()
        let waiter = ask(cache, within: .seconds(60))
        await eventually { upstream.waitingCalls == 1 }
        world.pass(.milliseconds(10_499))
        #expect(cache.counters.calls == 1)
        world.pass(.milliseconds(1))
        guard case .failure(.outOfTime) = await waiter.value else {
            Issue.record("it waits still")
            return
        }
        #expect(cache.counters.calls == 0)
        upstream.open()
    }

    @Test func placesDoNotWaitForEachOther() async throws {
        let cache = makeCache()
        upstream.shut()
        let first = ask(cache)
        await eventually { upstream.waitingCalls == 1 }
        let second = ask(cache, for: spot(1, 1))
        await eventually { upstream.waitingCalls == 2 }
        upstream.letOneThrough()
        #expect(try await first.value.get().context.coordinate == bergen)
        #expect(cache.counters.calls == 1)
        upstream.open()
        #expect(try await second.value.get().context.coordinate == spot(1, 1))
    }

    @Test func coordinatesAreOnePlaceToTwoDecimals() async throws {
        let cache = makeCache()
        _ = try await ask(cache, for: spot(60.3912, 5.3221)).value.get()
        #expect(cache.hit(spot(60.3938, 5.3249)) != nil)
        #expect(cache.hit(spot(60.40, 5.32)) == nil)
        #expect(upstream.singleCalls == [bergen])
    }

    @Test func aWaiterIsAnsweredOnceWhoeverIsFaster() async {
        // Answers, cancellations from several threads and time-outs race for the same waiters.
        let rounds = 60
        for round in 0..<rounds {
            var policy = CachePolicy()
            policy.failureTTL = .zero
            let cache = makeCache(policy)
            upstream.shut()
            let waiters = (0..<50).map { index in
                ask(cache, for: spot(number: index % 3), within: .milliseconds(10 + index % 5))
            }
            if round % 2 == 0 { await eventually { cache.counters.waiters > 20 } }
            let order = waiters.shuffled()
            await withTaskGroup { group in
                for part in 0..<4 {
                    group.addTask {
                        for index in stride(from: part, to: order.count, by: 5) { order[index].cancel() }
                    }
                }
                group.addTask { [world] in world.pass(.milliseconds(12)) }
                group.addTask { [upstream] in upstream.open() }
            }
            // A continuation resumed twice traps; one that is never resumed leaves this waiting.
            var answered = 0
            for waiter in waiters {
                switch await waiter.value {
                case .success(let weather):
                    #expect(weather.temperature == 10)
                    answered += 1
                case .failure(let error): #expect(error == .cancelled || error == .outOfTime)
                }
            }
            #expect(answered <= 50)
            await eventually { cache.counters.calls == 0 && cache.counters.waiters == 0 }
        }
        await eventually { world.timerCount == 0 }
    }

    @Test func aReloadedDeadlineHoldsForCallsThatStartAfterwards() async {
        let deadline = SharedDuration(.seconds(10))
        var environment = world.environment
        environment.callDeadline = deadline
        let cache = WeatherCache(over: upstream, environment: environment)
        upstream.shut()
        upstream.ignoreCancellation()
        let before = ask(cache, within: .seconds(60))
        await eventually { upstream.waitingCalls == 1 }
        deadline.value = .seconds(2)
        let after = ask(cache, for: spot(1, 1), within: .seconds(60))
        await eventually { upstream.waitingCalls == 2 }
        world.pass(.milliseconds(2_500))
        guard case .failure(.outOfTime) = await after.value else {
            Issue.record("the old deadline holds")
            return
        }
        #expect(cache.counters.calls == 1)
        world.pass(.milliseconds(8_000))
        guard case .failure(.outOfTime) = await before.value else {
            Issue.record("it waits still")
            return
        }
        upstream.open()
    }

    private enum Payer {
        @TaskLocal static var name = "nobody"
    }

    /// Notes who pays for each question.
    private struct PayingClient: WeatherClient {
        let payers: Mutex<[String]>.Box

        func weather(
            for coordinate: Coordinate, zone: String?, until deadline: ContinuousClock.Instant
        ) async throws(WeatherError) -> WeatherContext {
            payers.value.withLock { $0.append(Payer.name) }
            return .sample(at: coordinate)
        }
    }

    @Test func whoeverStartsACallPaysForIt() async throws {
        let payers = Mutex<[String]>.Box([])
        let cache = WeatherCache(over: PayingClient(payers: payers), environment: world.environment)
        let deadline = world.after(.seconds(8))
        _ = try await Payer.$name.withValue("first") { try await cache.lookUp(bergen, until: deadline) }
        world.pass(.seconds(900))
        // A refresh behind an answer, which is started without a task.
        Payer.$name.withValue("second") { #expect(cache.hit(bergen)?.freshness == .revalidating) }
        await eventually { cache.counters.calls == 0 }
        #expect(payers.value.withLock { $0 } == ["first", "second"])
    }

    @Test func aSharedTaskIsCancelledOnlyWhenAllItsCallsAreAbandoned() async {
        let shared = CallTask()
        shared.addCall()
        shared.addCall()
        let task = Task<Void, Never> { while !Task.isCancelled { await Task.yield() } }
        shared.attach(task)
        shared.end(isAbandoned: true)
        #expect(!task.isCancelled)
        shared.end(isAbandoned: true)
        #expect(task.isCancelled)
        await task.value
    }

    @Test func aTaskAbandonedBeforeItStartedIsCancelledThen() async {
        let shared = CallTask()
        shared.addCall()
        shared.end(isAbandoned: true)
        let task = Task<Void, Never> { while !Task.isCancelled { await Task.yield() } }
        shared.attach(task)
        #expect(task.isCancelled)
        await task.value
    }

    @Test func aTaskWhoseLastCallWasAnsweredFinishesItsWork() async {
        let shared = CallTask()
        shared.addCall()
        shared.addCall()
        let task = Task<Void, Never> {}
        shared.end(isAbandoned: true)
        shared.end(isAbandoned: false)
        shared.attach(task)
        #expect(!task.isCancelled)
        await task.value
    }
}

extension Mutex where Value: Sendable {
    /// A mutex that can be shared.
    fileprivate final class Box: Sendable {
        let value: Mutex<Value>

        init(_ value: Value) {
            self.value = Mutex(value)
        }
    }
}
