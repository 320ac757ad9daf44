internal import FoundationEssentials

/// Why a configuration can't be used: every fault that was found, each with where it stands and what to do.
package struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    package var faults: [String]

    package var description: String { faults.joined(separator: "\n") }
}

/// Puts a configuration together: the defaults, the file over them, the environment over both.
package enum ConfigurationLoader {
    /// Where the file is looked for when nobody names one; it may be missing there.
    package static let usualFile = "/etc/trip-weather.json5"

    /// Which file is read, and whether it must be there: `--config`, else `TRIP_WEATHER_CONFIG`, else the usual.
    package static func file(
        argument: String?, environment: [String: String]
    ) -> (path: String, isRequired: Bool) {
        if let argument { return (argument, true) }
        if let named = environment["TRIP_WEATHER_CONFIG"], !named.isEmpty { return (named, true) }
        return (usualFile, false)
    }

    /// Reads the file and the environment.
    package static func load(
        argument: String?, environment: [String: String]
    ) throws(ConfigurationError) -> Configuration {
        let (path, isRequired) = file(argument: argument, environment: environment)
        var contents: [UInt8]?
        do {
            contents = Array(try Data(contentsOf: URL(filePath: path)))
        } catch {
            let isMissing = (error as? CocoaError)?.code == .fileReadNoSuchFile
            if isRequired || !isMissing {
                throw ConfigurationError(
                    faults: ["\(path): can't be read (\(isMissing ? "there is no such file" : "\(error)"))"])
            }
        }
        return try configuration(file: contents.map { (path, $0) }, environment: environment)
    }

    /// Puts a configuration together from what was read.
    ///
    /// - Throws: `ConfigurationError` with every fault.
    package static func configuration(
        file: (name: String, contents: [UInt8])?, environment: [String: String]
    ) throws(ConfigurationError) -> Configuration {
        var configuration = Configuration()
        var faults: [String] = []
        if let file { read(file.contents, of: file.name, into: &configuration, &faults) }
        readEnvironment(environment, into: &configuration, &faults)
        if faults.isEmpty { faults = nestingFaults(of: configuration) }
        guard faults.isEmpty else { throw ConfigurationError(faults: faults) }
        return configuration
    }

    private static func read(
        _ contents: [UInt8], of name: String, into configuration: inout Configuration,
        _ faults: inout [String]
    ) {
        let root: ConfigurationValue
        do {
            root = try ConfigurationValue(json5: contents)
        } catch {
            faults.append(
                "\(name): not valid JSON5 (the decoder tells no line; look for a missing comma or quote)")
            return
        }
        guard case .object(let sections) = root else {
            faults.append("\(name): the file holds \(root.kind), where an object with sections is wanted")
            return
        }
        var keys: [String: ConfigurationKey] = [:]
        for key in ConfigurationKeys.all { keys[key.path] = key }
        let sectionNames = Set(keys.keys.compactMap { $0.split(separator: ".").first.map(String.init) })
        for (section, value) in sections.sorted(by: { $0.key < $1.key }) {
            guard sectionNames.contains(section) else {
                faults.append("\(name): \(section): there is no such section")
                continue
            }
            guard case .object(let members) = value else {
                faults.append("\(name): \(section): holds \(value.kind), where a section is wanted")
                continue
            }
            for (member, value) in members.sorted(by: { $0.key < $1.key }) {
                let path = "\(section).\(member)"
                guard let key = keys[path] else {
                    faults.append("\(name): \(path): there is no such key")
                    continue
                }
                assign(value, to: key, from: name, in: &configuration, &faults)
            }
        }
    }

    private static func readEnvironment(
        _ environment: [String: String], into configuration: inout Configuration, _ faults: inout [String]
    ) {
        var known: Set<String> = ["TRIP_WEATHER_CONFIG"]
        for key in ConfigurationKeys.all {
            let variable = key.environmentVariable
            known.insert(variable)
            guard let text = environment[variable] else { continue }
            assign(
                text, to: key, from: variable, in: &configuration, &faults)
        }
        for variable in environment.keys.sorted() where variable.hasPrefix("TRIP_WEATHER_") {
            if !known.contains(variable) {
                faults.append("\(variable): no key of the configuration has this variable")
            }
        }
    }

    private static func assign(
        _ value: ConfigurationValue, to key: ConfigurationKey, from source: String,
        in configuration: inout Configuration, _ faults: inout [String]
    ) {
        if key.assign(value, &configuration) {
            configuration.origins[key.path] = source
        } else {
            let found = key.isSecret ? "something else" : value.kind
            faults.append("\(source): \(key.path): takes \(key.takes), and not \(found)")
        }
    }

    /// A variable is text: it is read as whichever kind of value the key takes.
    private static func assign(
        _ text: String, to key: ConfigurationKey, from variable: String,
        in configuration: inout Configuration, _ faults: inout [String]
    ) {
        var readings: [ConfigurationValue] = [.text(text)]
        if let number = Double(text) { readings.append(.number(number)) }
        if text == "true" || text == "false" { readings.append(.flag(text == "true")) }
        readings.append(.list(text.split(separator: ",").map { .text(String($0)) }))
        for reading in readings where key.assign(reading, &configuration) {
            configuration.origins[key.path] = variable
            return
        }
        let found = key.isSecret ? "something else" : "\"\(text.prefix(80))\""
        faults.append("\(variable): \(key.path): takes \(key.takes), and not \(found)")
    }

    /// The limits lie one inside another: a limit longer than the one around it could never act.
    private static func nestingFaults(of configuration: Configuration) -> [String] {
        let upstream = configuration.upstream
        let pairs: [(String, Duration, String, Duration)] = [
            (
                "upstream.connectTimeout", upstream.connectTimeout, "upstream.transferTimeout",
                upstream.transferTimeout
            ),
            (
                "upstream.firstByteTimeout", upstream.firstByteTimeout,
                "upstream.transferTimeout", upstream.transferTimeout
            ),
            (
                "upstream.lowSpeedTime", upstream.lowSpeedTime, "upstream.transferTimeout",
                upstream.transferTimeout
            ),
            (
                "upstream.transferTimeout", upstream.transferTimeout,
                "request.deadline", configuration.requestDeadline
            ),
            (
                "cache.staleWait", configuration.cache.staleWait, "request.deadline",
                configuration.requestDeadline
            ),
            (
                "breaker.firstPause", configuration.breaker.firstPause,
                "breaker.longestPause", configuration.breaker.longestPause
            ),
            (
                "request.deadline", configuration.requestDeadline,
                "server.readTimeout", configuration.server.readTimeout
            ),
        ]
        return pairs.compactMap { inner, innerValue, outer, outerValue in
            innerValue <= outerValue
                ? nil
                : "\(inner): \(innerValue.asSetting) is longer than \(outer), \(outerValue.asSetting); "
                    + "it must end inside it"
        }
    }
}

extension Configuration {
    /// A line a key: path, value in force, where it comes from. Secrets are named, not shown.
    package var listing: String {
        ConfigurationKeys.all.map { key in
            let value = key.show(self)
            let shown = key.isSecret && value != "\"\"" ? "(set)" : value
            return "\(key.path): \(shown)  // \(origins[key.path] ?? "default")"
        }.joined(separator: "\n")
    }
}
