import Testing
import Weather

@testable import Fragments

struct EntityTagTests {
    /// The published vectors: the key is 00 01 … 0f, the message the first bytes of 00 01 02 ….
    @Test(arguments: [
        (0, 0x726f_db47_dd0e_0e31 as UInt64), (1, 0x74f8_39c5_93dc_67fd), (7, 0xab02_00f5_8b01_d137),
        (8, 0x93f5_f579_9a93_2462), (15, 0xa129_ca61_49be_45e5),
    ])
    func theHashIsSipHash(length: Int, hash: UInt64) {
        let bytes = (0..<length).map { UInt8($0) }
        #expect(SipHash.hash(bytes, key: (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908)) == hash)
    }

    @Test func theTagIsTheSameInEveryRun() {
        #expect(EntityTag(of: Array("Seattle".utf8)).description == "\"C92BD90EE5F3D270\"")
        #expect(EntityTag(of: []).description == "\"DCB03B2357290937\"")
    }

    @Test func differentBytesHaveDifferentTags() {
        var bytes = [UInt8](repeating: 0, count: 300)
        var tags: Set = [EntityTag(of: bytes)]
        for index in bytes.indices {
            bytes[index] = 1
            tags.insert(EntityTag(of: bytes))
        }
        tags.insert(EntityTag(of: bytes + [0]))
        #expect(tags.count == 302)
    }

    @Test func ifNoneMatchIsReadAsAList() {
        let tag = EntityTag(of: Array("Seattle".utf8))
        for field in [
            "*", " * ", "\(tag)", "W/\(tag)", "\"other\", \(tag)", "\"other\",W/\(tag)", ",, \(tag) ,",
            "\"\", \(tag)", "W/\"a,b\", \(tag)", "\(tag), broken",
        ] {
            #expect(tag.matches(ifNoneMatch: field), "\(field)")
        }
        for field in [
            "", ",", "\"other\"", "\(tag.description.dropLast())", "\(tag.description.dropFirst())",
            tag.description.lowercased().replacing("a", with: "b"), "w/\(tag)", "broken, \(tag)", "\"",
            "W/", "\"x\(tag.description.dropFirst())",
        ] {
            #expect(!tag.matches(ifNoneMatch: field), "\(field)")
        }
    }

    @Test func theSameAnswerHasTheSameTag() {
        for representation in Representation.allCases {
            let presentation = Presentation(representation: representation)
            let first = EntityTag(of: Renderer.weather(.loaded(Examples.report), as: presentation))
            let second = EntityTag(of: Renderer.weather(.loaded(Examples.report), as: presentation))
            #expect(first == second)
        }
    }
}
