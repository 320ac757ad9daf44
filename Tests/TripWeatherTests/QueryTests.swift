import Fragments
import Testing

@testable import TripWeather

private func query(_ text: String) -> Query { Query(Array(text.utf8)) }

@Suite struct QueryTests {
    @Test func valuesArePercentDecodedAndPlusIsASpace() {
        let query = query("city=San+Pedro%20de%20Atacama&country=&lang")
        #expect(query["city"] == "San Pedro de Atacama")
        #expect(query["country"] == "")
        #expect(query["lang"] == "")
        #expect(query["units"] == nil)
        #expect(query.faults.isEmpty)
    }

    @Test func nonLatinNamesAndLiteralPlusAreRead() {
        #expect(query("city=%E4%BA%AC%e9%83%BD")["city"] == "京都")
        #expect(query("city=a%2Bb")["city"] == "a+b")
        #expect(query("city=\u{4eac}")["city"] == "京")
    }

    @Test(arguments: [
        "city=%FF", "city=%C3", "city=%", "city=%4", "city=%zz", "city=%C0%80", "city=%ED%A0%80",
    ])
    func whatIsNoTextIsAFaultOfItsParameter(text: String) {
        let query = query(text)
        #expect(query["city"] == nil)
        #expect(query.faults.map(\.field) == ["city"])
    }

    @Test(arguments: ["city=%00", "city=a%0Ab", "city=%7f", "city=%C2%85"])
    func controlCharactersAreFaults(text: String) {
        let faults = query(text).faults
        #expect(faults.map(\.field) == ["city"])
        #expect(faults.map(\.fault) == [.controlCharacter])
    }

    @Test func unknownAndRepeatedParametersAreFaults() {
        var query = query("city=a&city=b&colour=red")
        query.refuseAll(but: ["city", "country"])
        #expect(query.faults.map(\.field) == ["city", "colour"])
        #expect(query.faults.map(\.fault) == [.repeated, .unknown])
    }

    @Test func aFaultIsKeptOnceAndNoMoreThanCanBeListed() {
        var query = query((0..<100).map { "a=1&b\($0)=1" }.joined(separator: "&") + "&%FF=1")
        query.refuseAll(but: ["a"])
        #expect(query.faults.count == 21)
        #expect(query.faults.map(\.fault).prefix(3) == [.unreadableName, .unknown, .repeated])
        #expect(query.faults.filter { $0.field == "a" }.count == 1)
    }

    @Test func emptyPartsAreNothing() {
        #expect(query("").fields.isEmpty)
        #expect(query("&&").fields.isEmpty)
        #expect(query("=x").fields.map(\.name) == [""])
    }
}
