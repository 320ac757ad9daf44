/// Countries by the names that people write: in English, in German, short and by their codes.
///
/// The service answers with a country's name in the asked language, and with its ISO 3166-1 code; this table
/// joins a name in the other language, or a common short one, to the code.
enum Countries {
    /// The codes of the countries that a name may mean, or of a code itself; none for what isn't in the table. A few
    /// names are two countries': Congo.
    static func codes(of name: String) -> [String] {
        codes[key(name)] ?? []
    }

    /// The name that the service's search knows a country by; nil for what isn't in the table.
    static func name(code: String, language: String) -> String? {
        names[code].flatMap { $0.count < 2 ? $0.first : $0[language == "de" ? 1 : 0] }
    }

    /// All names of a country.
    static func names(code: String) -> [String] {
        names[code] ?? []
    }

    /// The state that a territory belongs to, if the service gives it no country of its own or people may name
    /// either.
    static func sovereign(of code: String) -> String? {
        sovereigns[code]
    }

    /// The language in which a country's places have names of their own; nil if it is English, or isn't known.
    static func language(code: String) -> String? {
        languages[code]
    }

    /// What the spellings of a country's name have in common: "St. Kitts & Nevis", "Saint Kitts and Nevis".
    private static func key(_ name: String) -> String {
        let folded = PlaceText.folded(name)
        // Most names are one word.
        guard folded.utf8.contains(UInt8(ascii: " ")) else { return folded }
        return folded.split(separator: " ").filter { !["the", "and", "und", "of"].contains($0) }
            .map { $0 == "st" ? "saint" : $0 }.joined(separator: " ")
    }

    /// A code and its names, English and German first; one name that is both stands once.
    private static let names = rows(
        """
        AD Andorra; AE United Arab Emirates|Vereinigte Arabische Emirate|UAE|Emirates|VAE|Emirate
        AF Afghanistan; AG Antigua and Barbuda|Antigua und Barbuda; AI Anguilla; AL Albania|Albanien
        AM Armenia|Armenien; AO Angola; AQ Antarctica|Antarktis; AR Argentina|Argentinien
        AS American Samoa|Amerikanisch-Samoa; AT Austria|Österreich; AU Australia|Australien; AW Aruba
        AX Åland Islands|Ålandinseln|Åland|Aland; AZ Azerbaijan|Aserbaidschan
        BA Bosnia and Herzegovina|Bosnien und Herzegowina|Bosnia|Bosnien; BB Barbados
        BD Bangladesh|Bangladesch; BE Belgium|Belgien; BF Burkina Faso; BG Bulgaria|Bulgarien; BH Bahrain
        BI Burundi; BJ Benin; BL Saint Barthélemy|St. Barthélemy|St Barts; BM Bermuda
        BN Brunei|Brunei|Brunei Darussalam; BO Bolivia|Bolivien|Plurinational State of Bolivia
        BQ Bonaire, Sint Eustatius, and Saba|Bonaire, Sint Eustatius und Saba|Bonaire|Caribbean Netherlands
        BR Brazil|Brasilien|Brasil; BS Bahamas; BT Bhutan; BW Botswana|Botsuana
        BY Belarus|Belarus|Weißrussland; BZ Belize; CA Canada|Kanada; CC Cocos Islands|Kokosinseln
        CD DR Congo|Demokratische Republik Kongo|DR Kongo|Democratic Republic of the Congo|\
        Congo, Democratic Republic of the|DRC|Congo-Kinshasa|Kongo-Kinshasa|Zaire|Congo|Kongo
        CF Central African Republic|Zentralafrikanische Republik
        CG Congo|Kongo|Republic of the Congo|Congo, Republic of the|Congo Republic|Republik Kongo|\
        Congo-Brazzaville|Kongo-Brazzaville; CH Switzerland|Schweiz|Suisse|Svizzera
        CI Ivory Coast|Elfenbeinküste|Côte d'Ivoire; CK Cook Islands|Cookinseln; CL Chile; CM Cameroon|Kamerun
        CN China|China|People's Republic of China|PRC; CO Colombia|Kolumbien; CR Costa Rica; CU Cuba|Kuba
        CV Cabo Verde|Cabo Verde|Cape Verde|Kap Verde; CW Curaçao; CX Christmas Island|Weihnachtsinsel
        CY Cyprus|Zypern; CZ Czechia|Tschechien|Czech Republic|Tschechische Republik|Tschechei|Česko
        DE Germany|Deutschland|BRD; DJ Djibouti|Dschibuti; DK Denmark|Dänemark|Danmark; DM Dominica
        DO Dominican Republic|Dominikanische Republik; DZ Algeria|Algerien; EC Ecuador; EE Estonia|Estland
        EG Egypt|Ägypten; EH Western Sahara|Westsahara; ER Eritrea; ES Spain|Spanien|España
        ET Ethiopia|Äthiopien; FI Finland|Finnland; FJ Fiji|Fidschi
        FK Falkland Islands|Falklandinseln|Falklands; FM Micronesia|Mikronesien|Federated States of Micronesia
        FO Faroe Islands|Färöer|Faroes|Färöer-Inseln; FR France|Frankreich; GA Gabon|Gabun
        GB United Kingdom|Vereinigtes Königreich|UK|Great Britain|Britain|Großbritannien|\
        United Kingdom of Great Britain and Northern Ireland; GD Grenada; GE Georgia|Georgien
        GF French Guiana|Französisch-Guayana; GG Guernsey; GH Ghana; GI Gibraltar; GL Greenland|Grönland
        GM Gambia; GN Guinea; GP Guadeloupe; GQ Equatorial Guinea|Äquatorialguinea; GR Greece|Griechenland
        GS South Georgia and the South Sandwich Islands|Südgeorgien und die Südlichen Sandwichinseln|\
        South Georgia; GT Guatemala; GU Guam; GW Guinea-Bissau; GY Guyana
        HK Hong Kong|Hongkong|Hong Kong SAR|Hong Kong SAR China; HN Honduras; HR Croatia|Kroatien|Hrvatska
        HT Haiti; HU Hungary|Ungarn; ID Indonesia|Indonesien; IE Ireland|Irland|Republic of Ireland|Éire
        IL Israel; IM Isle of Man|Insel Man; IN India|Indien
        IO British Indian Ocean Territory|Britisches Territorium im Indischen Ozean; IQ Iraq|Irak
        IR Iran|Iran|Islamic Republic of Iran|Persia|Persien; IS Iceland|Island; IT Italy|Italien|Italia
        JE Jersey; JM Jamaica|Jamaika; JO Jordan|Jordanien; JP Japan; KE Kenya|Kenia
        KG Kyrgyzstan|Kirgisistan; KH Cambodia|Kambodscha; KI Kiribati; KM Comoros|Komoren
        KN St Kitts and Nevis|St. Kitts und Nevis
        KP North Korea|Nordkorea|DPRK|Democratic People's Republic of Korea|Korea
        KR South Korea|Südkorea|Korea|Republic of Korea|Korea, Republic of; KW Kuwait
        KY Cayman Islands|Kaimaninseln|Caymans; KZ Kazakhstan|Kasachstan
        LA Laos|Laos|Lao PDR|Lao People's Democratic Republic; LB Lebanon|Libanon; LC Saint Lucia|St. Lucia
        LI Liechtenstein; LK Sri Lanka; LR Liberia; LS Lesotho; LT Lithuania|Litauen; LU Luxembourg|Luxemburg
        LV Latvia|Lettland; LY Libya|Libyen; MA Morocco|Marokko; MC Monaco
        MD Moldova|Moldau|Moldawien|Republic of Moldova; ME Montenegro; MF Saint Martin|St. Martin
        MG Madagascar|Madagaskar; MH Marshall Islands|Marshallinseln
        MK North Macedonia|Nordmazedonien|Macedonia|Mazedonien|Republic of Macedonia|\
        Former Yugoslav Republic of Macedonia|FYROM|Ehemalige jugoslawische Republik Mazedonien; ML Mali
        MM Myanmar|Myanmar|Burma|Birma; MN Mongolia|Mongolei; MO Macao|Macau|Macao SAR|Macau SAR China
        MP Northern Mariana Islands|Nördliche Marianen; MQ Martinique; MR Mauritania|Mauretanien
        MS Montserrat; MT Malta; MU Mauritius; MV Maldives|Malediven; MW Malawi; MX Mexico|Mexiko|México
        MY Malaysia; MZ Mozambique|Mosambik; NA Namibia; NC New Caledonia|Neukaledonien; NE Niger
        NF Norfolk Island|Norfolkinsel; NG Nigeria; NI Nicaragua; NL Netherlands|Niederlande|Holland|Nederland
        NO Norway|Norwegen|Norge; NP Nepal; NR Nauru; NU Niue; NZ New Zealand|Neuseeland; OM Oman; PA Panama
        PE Peru; PF French Polynesia|Französisch-Polynesien|Tahiti; PG Papua New Guinea|Papua-Neuguinea
        PH Philippines|Philippinen; PK Pakistan; PL Poland|Polen|Polska
        PM Saint Pierre and Miquelon|St. Pierre und Miquelon; PN Pitcairn; PR Puerto Rico
        PS Palestinian Territory|Palästina|Palestine|Palestinian Territories; PT Portugal; PW Palau
        PY Paraguay; QA Qatar|Katar; RE Réunion; RO Romania|Rumänien; RS Serbia|Serbien
        RU Russia|Russland|Russian Federation; RW Rwanda|Ruanda; SA Saudi Arabia|Saudi-Arabien
        SB Solomon Islands|Salomonen; SC Seychelles|Seychellen; SD Sudan; SE Sweden|Schweden|Sverige
        SG Singapore|Singapur; SH Saint Helena|St. Helena; SI Slovenia|Slowenien
        SJ Svalbard and Jan Mayen|Spitzbergen und Jan Mayen|Svalbard|Spitzbergen; SK Slovakia|Slowakei
        SL Sierra Leone; SM San Marino; SN Senegal; SO Somalia; SR Suriname; SS South Sudan|Südsudan
        ST São Tomé and Príncipe|São Tomé und Príncipe; SV El Salvador; SX Sint Maarten
        SY Syria|Syrien|Syrian Arab Republic; SZ Eswatini|Eswatini|Swaziland|Swasiland
        TC Turks and Caicos Islands|Turks- und Caicosinseln; TD Chad|Tschad; TG Togo; TH Thailand
        TJ Tajikistan|Tadschikistan; TK Tokelau; TL Timor-Leste|Osttimor|East Timor; TM Turkmenistan
        TN Tunisia|Tunesien; TO Tonga; TR Turkey|Türkei|Türkiye
        TT Trinidad and Tobago|Trinidad und Tobago|Trinidad; TV Tuvalu; TW Taiwan|Taiwan|Republic of China
        TZ Tanzania|Tansania|United Republic of Tanzania; UA Ukraine; UG Uganda
        US United States|Vereinigte Staaten|USA|United States of America|America|\
        Vereinigte Staaten von Amerika|Amerika|U.S.A.|U.S.; UY Uruguay; UZ Uzbekistan|Usbekistan
        VA Vatican City|Vatikanstadt|Vatican|Vatikan|Holy See|Heiliger Stuhl|Vatican City State
        VC St Vincent and Grenadines|St. Vincent und die Grenadinen
        VE Venezuela|Venezuela|Bolivarian Republic of Venezuela
        VG British Virgin Islands|Britische Jungferninseln
        VI U.S. Virgin Islands|Amerikanische Jungferninseln|US Virgin Islands; VN Vietnam|Vietnam|Viet Nam
        VU Vanuatu; WF Wallis and Futuna|Wallis und Futuna; WS Samoa; XK Kosovo; YE Yemen|Jemen; YT Mayotte
        ZA South Africa|Südafrika; ZM Zambia|Sambia; ZW Zimbabwe|Simbabwe
        """
    ).mapValues { $0.split(separator: "|").map(String.init) }

    private static let codes: [String: [String]] = {
        var codes: [String: [String]] = [:]
        for (code, names) in names {
            // The country of exactly that English name first.
            for (index, name) in (names + [code]).enumerated() where codes[key(name)]?.contains(code) != true
            {
                codes[key(name), default: []].insert(code, at: index == 0 ? 0 : codes[key(name)]?.count ?? 0)
            }
        }
        return codes
    }()

    private static let languages = byMember(
        """
        ar AE BH DZ EG IQ JO KW LB LY MA MR OM PS QA SA SD SY TN YE; bg BG; cs CZ; da DK FO; de AT CH DE LI
        el CY GR; es AR BO CL CO CR CU DO EC ES GQ GT HN MX NI PA PE PR PY SV UY VE; et EE; fa AF IR; fi FI
        fr BF BJ CA CD CF CG CI CM FR GA GF GN GP HT LU MC MG ML MQ NC NE PF RE SN TD TG; ga IE; he IL; hi IN
        hr HR; hu HU; hy AM; id ID; is IS; it IT SM VA; ja JP; ka GE; kk KZ; km KH; ko KP KR; lo LA; lt LT
        lv LV; mk MK; mn MN; ms BN MY; my MM; ne NP; nl AW BE CW NL SR; no NO SJ; pl PL
        pt AO BR CV GW MZ PT ST TL; ro MD RO; ru BY KG RU; sk SK; sl SI; sq AL XK; sr BA ME RS; sv AX SE
        th TH; tr TR; uk UA; uz UZ; vi VN; zh CN HK MO SG TW
        """)

    private static let sovereigns = byMember(
        """
        CN HK MO; US AS GU MP PR VI; DK FO GL; FI AX; FR BL GF GP MF MQ NC PF PM RE WF YT
        GB AI BM FK GG GI GS IM IO JE KY MS PN SH TC VG; NL AW BQ CW SX; NO SJ; AU CC CX NF; NZ CK NU TK
        """)

    /// The rows of a table, separated by semicolons or line ends, by the word that each begins with.
    fileprivate static func rows(_ table: String) -> [String: Substring] {
        var rows: [String: Substring] = [:]
        for row in table.split(whereSeparator: { $0 == ";" || $0 == "\n" }) {
            let words = row.split(separator: " ", maxSplits: 1)
            rows[String(words[0])] = words[1]
        }
        return rows
    }

    /// The first words of a table's rows by each word that follows them.
    private static func byMember(_ table: String) -> [String: String] {
        var firsts: [String: String] = [:]
        for (first, members) in rows(table) {
            for member in members.split(separator: " ") { firsts[String(member)] = first }
        }
        return firsts
    }
}

/// States and provinces by the letters that people write for them after a comma: "Portland, OR".
enum Regions {
    /// The full names behind an abbreviation; empty for none. "WA" is a state of two countries.
    static func names(of abbreviation: String) -> [String] {
        let letters = abbreviation.uppercased().filter { $0 != "." }
        return tables.compactMap { $0[letters].map(String.init) }
    }

    /// Of the United States, Canada and Australia.
    private static let tables = [unitedStates, canada, australia].map(Countries.rows)

    private static let unitedStates = """
        AL Alabama; AK Alaska; AZ Arizona; AR Arkansas; CA California; CO Colorado; CT Connecticut
        DE Delaware; DC Washington, D.C.; FL Florida; GA Georgia; HI Hawaii; ID Idaho; IL Illinois; IN Indiana
        IA Iowa; KS Kansas; KY Kentucky; LA Louisiana; ME Maine; MD Maryland; MA Massachusetts; MI Michigan
        MN Minnesota; MS Mississippi; MO Missouri; MT Montana; NE Nebraska; NV Nevada; NH New Hampshire
        NJ New Jersey; NM New Mexico; NY New York; NC North Carolina; ND North Dakota; OH Ohio; OK Oklahoma
        OR Oregon; PA Pennsylvania; RI Rhode Island; SC South Carolina; SD South Dakota; TN Tennessee
        TX Texas; UT Utah; VT Vermont; VA Virginia; WA Washington; WV West Virginia; WI Wisconsin; WY Wyoming
        """

    private static let canada = """
        AB Alberta; BC British Columbia; MB Manitoba; NB New Brunswick; NL Newfoundland and Labrador
        NS Nova Scotia; NT Northwest Territories; NU Nunavut; ON Ontario; PE Prince Edward Island; QC Quebec
        SK Saskatchewan; YT Yukon
        """

    private static let australia = """
        ACT Australian Capital Territory; NSW New South Wales; NT Northern Territory; QLD Queensland
        SA South Australia; TAS Tasmania; VIC Victoria; WA Western Australia
        """
}
