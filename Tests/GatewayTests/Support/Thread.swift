import Glibc

/// A thread for what blocks.
final class Thread {
    private var identifier = pthread_t()
    private final class Body {
        let run: () -> Void
        init(_ run: @escaping () -> Void) { self.run = run }
    }

    init(_ body: @escaping () -> Void) {
        let context = Unmanaged.passRetained(Body(body))
        pthread_create(
            &identifier, nil,
            { context in
                if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, context.toOpaque())
    }

    func join() { pthread_join(identifier, nil) }
}
