import Foundation
import Glibc
import TestSupport
import Testing

@testable import Gateway

@Suite struct ListeningSocketTests {
    @Test(arguments: [
        ("unix:/run/x.sock", "unix:/run/x.sock"), ("127.0.0.1:9000", "127.0.0.1:9000"),
        ("localhost:9000", "127.0.0.1:9000"), ("0.0.0.0:0", "0.0.0.0:0"), ("[::1]:9000", "[::1]:9000"),
    ])
    func addressesAreRead(text: String, expected: String) throws {
        #expect(try ListenAddress(text).description == expected)
    }

    @Test(arguments: [
        "", "unix:", "unix:relative", "unix:/a\0b", "9000", ":9000", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x",
        "127.0.0.1:65536", "127.0.0.1:-1", "::1:9000", "[::1]", "[x]:1", "example.org:80", "/run/x.sock",
    ])
    func otherTextIsRefused(text: String) {
        #expect(throws: ListenError.unreadableAddress(text)) { try ListenAddress(text) }
    }

    @Test func theModeIsTheOneAskedFor() throws {
        let folder = try ScratchFolder()
        for mode: UInt32 in [0o600, 0o660, 0o666] {
            let socket = try ListeningSocket.listen(on: .unix(path: folder.path + "/s"), mode: mode)
            var status = stat()
            #expect(lstat(folder.path + "/s", &status) == 0)
            #expect(status.st_mode & 0o777 == mode)
            socket.close()
        }
    }

    @Test func aStaleSocketFileIsReplaced() throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/s"
        // A socket that was bound and closed leaves its file behind.
        let address = try SocketAddress(.unix(path: path))
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #expect(address.with { Glibc.bind(descriptor, $0, $1) } == 0)
        Glibc.close(descriptor)
        let socket = try ListeningSocket.listen(on: .unix(path: path))
        _ = try TestClient(to: .unix(path: path))
        socket.close()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func aSocketInUseIsAnErrorThatSaysSo() throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/s"
        let socket = try ListeningSocket.listen(on: .unix(path: path))
        #expect(throws: ListenError.inUse("unix:\(path)")) {
            try ListeningSocket.listen(on: .unix(path: path))
        }
        _ = try TestClient(to: .unix(path: path))
        socket.close()
        let tcp = try ListeningSocket.listen(on: .tcp("127.0.0.1", port: 0))
        let bound = try #require(tcp.address)
        #expect(throws: ListenError.inUse(bound.description)) { try ListeningSocket.listen(on: bound) }
        #expect(ListenError.inUse("x").description.contains("another process listens there"))
    }

    @Test func aFileThatIsNoSocketIsLeftAlone() throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/s"
        #expect(FileManager.default.createFile(atPath: path, contents: Data("text".utf8)))
        #expect(throws: ListenError.notASocket(path)) { try ListeningSocket.listen(on: .unix(path: path)) }
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test func aSocketFileThatAnotherMadeSinceIsNotRemoved() throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/s"
        let first = try ListeningSocket.listen(on: .unix(path: path))
        #expect(rename(path, path + ".old") == 0)
        let second = try ListeningSocket.listen(on: .unix(path: path))
        first.close()
        #expect(FileManager.default.fileExists(atPath: path))
        second.close()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func aPathThatIsTooLongIsAnError() {
        let path = "/" + String(repeating: "x", count: 107)
        #expect(throws: ListenError.pathTooLong("unix:\(path)")) {
            try ListeningSocket.listen(on: .unix(path: path))
        }
    }

    @Test func descriptorsAreClosedOnExec() throws {
        let socket = try ListeningSocket.listen(on: .tcp("127.0.0.1", port: 0))
        #expect(fcntl(socket.descriptor, F_GETFD) & FD_CLOEXEC != 0)
        #expect(fcntl(socket.descriptor, F_GETFL) & O_NONBLOCK != 0)
    }

    @Test func theWebServersListKnowsEachSpelling() throws {
        let list = try #require(PeerAddresses("127.0.0.1, ::1,2001:db8:0::5"))
        for host in ["127.0.0.1", "::ffff:127.0.0.1", "::1", "0:0:0:0:0:0:0:1", "2001:db8::5"] {
            #expect(list.contains(host), "\(host)")
        }
        for host in ["127.0.0.2", "::2", "", "localhost.evil"] { #expect(!list.contains(host), "\(host)") }
        #expect(PeerAddresses(nil) == nil)
        #expect(PeerAddresses("") == nil && PeerAddresses(" ") == nil, "an empty list lets everybody in")
    }
}
