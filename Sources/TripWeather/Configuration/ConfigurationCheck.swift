internal import CurlTransport
internal import FoundationEssentials
internal import Gateway
internal import Glibc
internal import Weather

/// What values that can be read must still be held against: the world that the program would run in.
extension Configuration {
    /// Why every question to upstream would fail.
    var upstreamFaults: [String] {
        var faults: [String] = []
        for (key, url) in [
            ("upstream.geocodingURL", openMeteo.geocodingURL),
            ("upstream.forecastURL", openMeteo.forecastURL),
        ] {
            if let fault = CurlTransport.fault(ofAddress: url, allowPlainHTTP: curl.allowPlainHTTP) {
                faults.append("\(key): \(fault)")
            }
        }
        if let fault = CurlTransport.fault(ofProxy: curl.proxy) { faults.append("upstream.proxy: \(fault)") }
        if !curl.caFile.isEmpty, let fault = faultOfCertificates(curl.caFile) {
            faults.append("upstream.caFile: \(fault)")
        }
        if curl.http2, !CurlTransport.knowsHTTP2 {
            faults.append("upstream.http2: this libcurl was built without HTTP/2")
        }
        return faults
    }

    /// Everything that would keep the program from running as configured.
    ///
    /// - Parameter listen: The addresses of the command line, which come in place of `server.listen`.
    func faults(listening listen: [ListenAddress]) -> [String] {
        var faults = upstreamFaults
        for address in listen.isEmpty ? server.listen : listen {
            do throws(ListenError) {
                try ListeningSocket.check(address)
            } catch {
                faults.append("\(listen.isEmpty ? "server.listen" : "--listen"): \(error)")
            }
        }
        if !cacheFolder.isEmpty, let fault = faultOfFolder(cacheFolder) {
            faults.append("cache.folder: \(fault)")
        }
        if !trips.file.isEmpty, let fault = faultOfFile(trips.file) { faults.append("trips.file: \(fault)") }
        do throws(OperatorFault) {
            _ = try TripIdeasFile.read(trips.ideas)
        } catch {
            faults.append("trips.ideas: \(error)")
        }
        return faults
    }
}

private func faultOfCertificates(_ path: String) -> String? {
    do {
        let contents = try Data(contentsOf: URL(filePath: path))
        return String(decoding: contents, as: UTF8.self).contains("-----BEGIN ")
            ? nil : "\(path) holds no PEM certificate"
    } catch {
        return "\(path) can't be read"
    }
}

/// Why a file can neither be written nor made, with its folder.
private func faultOfFile(_ path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else { return faultOfFolder(parent(of: path)) }
    guard status.st_mode & S_IFMT == S_IFREG else { return "\(path) is not a file" }
    return access(path, R_OK | W_OK) == 0 ? nil : "\(path) can't be written by this user"
}

/// Why a folder can neither be written in nor made. Folders that are missing would be made.
private func faultOfFolder(_ path: String) -> String? {
    var (path, status) = (path, stat())
    while stat(path, &status) != 0 {
        guard errno == ENOENT, path != "/", path != "." else {
            return "\(path): \(String(cString: strerror(errno)))"
        }
        path = parent(of: path)
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { return "\(path) is not a folder" }
    return access(path, W_OK | X_OK) == 0 ? nil : "\(path) can't be written in by this user"
}

private func parent(of path: String) -> String {
    let parts = path.split(separator: "/")
    let parent = parts.dropLast().joined(separator: "/")
    return path.hasPrefix("/") ? "/\(parent)" : parent.isEmpty ? "." : parent
}
