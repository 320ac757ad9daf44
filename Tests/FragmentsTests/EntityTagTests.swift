import Testing
import Weather

@testable import Fragments

struct EntityTagTests {
    @Test func theTagIsTheSameInEveryRun() {
        #expect(EntityTag(of: Array("Seattle".utf8)).description == "\"91B76E611FEE41C5\"")
        #expect(EntityTag(of: []).description == "\"C9D874CA57D9E055\"")
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
            #expect(EntityTag.matches(tag.description, ifNoneMatch: field), "\(field)")
        }
        for field in [
            "", ",", "\"other\"", "\(tag.description.dropLast())", "\(tag.description.dropFirst())",
            tag.description.lowercased().replacing("a", with: "b"), "w/\(tag)", "broken, \(tag)", "\"",
            "W/", "\"x\(tag.description.dropFirst())",
        ] {
            #expect(!EntityTag.matches(tag.description, ifNoneMatch: field), "\(field)")
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
