extension Duration {
    /// Whole milliseconds, rounded up, at least 1: for libcurl, to which 0 means no limit or its own default.
    var milliseconds: Int {
        whole(unit: 1_000)
    }

    /// Whole seconds, rounded up, at least 1.
    var seconds: Int {
        whole(unit: 1)
    }

    private func whole(unit perSecond: Int64) -> Int {
        let (seconds, attoseconds) = components
        // A good 11 days in milliseconds, and what libcurl takes as an int.
        guard seconds < 1_000_000 else { return Int(1_000_000 * perSecond) }
        let unit = 1_000_000_000_000_000_000 / perSecond
        return max(1, Int(seconds * perSecond + (attoseconds + unit - 1) / unit))
    }
}
