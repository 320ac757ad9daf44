"""The places that the stand-in knows, and how it finds them by name.

The search follows Open-Meteo's geocoder as its source of May 2026 has it: no trimming, no typo
tolerance, a prefix from the third character on, and a qualifier after a comma that only works for
countries.
"""

import re
import unicodedata
from dataclasses import dataclass, field

# Country code: (GeoNames id, English name, German name). Territories that GeoNames does not class
# as independent states are missing on purpose: their places have a country code and no country.
COUNTRIES = {
    "AE": (290557, "United Arab Emirates", "Vereinigte Arabische Emirate"),
    "AR": (3865483, "Argentina", "Argentinien"),
    "AT": (2782113, "Austria", "Österreich"),
    "AU": (2077456, "Australia", "Australien"),
    "BE": (2802361, "Belgium", "Belgien"),
    "BR": (3469034, "Brazil", "Brasilien"),
    "CA": (6251999, "Canada", "Kanada"),
    "CD": (203312, "DR Congo", "Demokratische Republik Kongo"),
    "CG": (2260494, "Congo", "Kongo"),
    "CH": (2658434, "Switzerland", "Schweiz"),
    "CI": (2287781, "Ivory Coast", "Elfenbeinküste"),
    "CL": (3895114, "Chile", "Chile"),
    "CN": (1814991, "China", "China"),
    "CO": (3686110, "Colombia", "Kolumbien"),
    "CU": (3562981, "Cuba", "Kuba"),
    "CZ": (3077311, "Czechia", "Tschechien"),
    "DE": (2921044, "Germany", "Deutschland"),
    "DK": (2623032, "Denmark", "Dänemark"),
    "EC": (3658394, "Ecuador", "Ecuador"),
    "EG": (357994, "Egypt", "Ägypten"),
    "ES": (2510769, "Spain", "Spanien"),
    "FI": (660013, "Finland", "Finnland"),
    "FR": (3017382, "France", "Frankreich"),
    "GB": (2635167, "United Kingdom", "Vereinigtes Königreich"),
    "GH": (2300660, "Ghana", "Ghana"),
    "GR": (390903, "Greece", "Griechenland"),
    "HR": (3202326, "Croatia", "Kroatien"),
    "HU": (719819, "Hungary", "Ungarn"),
    "ID": (1643084, "Indonesia", "Indonesien"),
    "IE": (2963597, "Ireland", "Irland"),
    "IL": (294640, "Israel", "Israel"),
    "IN": (1269750, "India", "Indien"),
    "IS": (2629691, "Iceland", "Island"),
    "IT": (3175395, "Italy", "Italien"),
    "JP": (1861060, "Japan", "Japan"),
    "KE": (192950, "Kenya", "Kenia"),
    "KI": (4030945, "Kiribati", "Kiribati"),
    "KR": (1835841, "South Korea", "Südkorea"),
    "MA": (2542007, "Morocco", "Marokko"),
    "MK": (718075, "North Macedonia", "Nordmazedonien"),
    "MN": (2029969, "Mongolia", "Mongolei"),
    "MX": (3996063, "Mexico", "Mexiko"),
    "MY": (1733045, "Malaysia", "Malaysia"),
    "NL": (2750405, "The Netherlands", "Niederlande"),
    "NO": (3144096, "Norway", "Norwegen"),
    "NP": (1282988, "Nepal", "Nepal"),
    "NZ": (2186224, "New Zealand", "Neuseeland"),
    "PE": (3932488, "Peru", "Peru"),
    "PH": (1694008, "Philippines", "Philippinen"),
    "PL": (798544, "Poland", "Polen"),
    "PT": (2264397, "Portugal", "Portugal"),
    "RU": (2017370, "Russia", "Russland"),
    "SE": (2661886, "Sweden", "Schweden"),
    "SG": (1880251, "Singapore", "Singapur"),
    "TH": (1605651, "Thailand", "Thailand"),
    "TR": (298795, "Turkey", "Türkei"),
    "TW": (1668284, "Taiwan", "Taiwan"),
    "US": (6252001, "United States", "Vereinigte Staaten"),
    "UY": (3439705, "Uruguay", "Uruguay"),
    "VA": (3164670, "Vatican City", "Vatikanstadt"),
    "VE": (3625428, "Venezuela", "Venezuela"),
    "VN": (1562822, "Vietnam", "Vietnam"),
    "WS": (4034894, "Samoa", "Samoa"),
    "ZA": (953987, "South Africa", "Südafrika"),
    "ZZ": (9900000, "Madeupland", "Ausgedachtland"),
}


@dataclass(frozen=True)
class City:
    """One place. `names` holds its name by language; `en` is the one that every language can find."""

    id: int
    names: dict = field(hash=False)
    latitude: float
    longitude: float
    elevation: float
    feature_code: str
    country_code: str
    admin1: str
    timezone: str
    population: int
    # The second administrative level, where it tells two places of one name and region apart.
    admin2: str = ""
    aliases: tuple = ()
    postcodes: tuple = ()
    # Open-Meteo refuses timezone=auto for some real places with "Invalid timezone".
    refuses_automatic_zone: bool = False

    def name(self, language):
        return self.names.get(language, self.names["en"])

    def searchable(self, language):
        """Every text under which this place is found when asked in this language."""
        texts = [self.names["en"], *self.aliases, *self.postcodes]
        if language in self.names:
            texts.append(self.names[language])
        return texts


def _c(id, names, latitude, longitude, elevation, code, country, admin1, zone, population, **more):
    if isinstance(names, str):
        names = {"en": names}
    return City(id, names, latitude, longitude, elevation, code, country, admin1, zone, population, **more)


CITIES = (
    # North America
    _c(5809844, "Seattle", 47.60621, -122.33207, 56, "PPLA2", "US", "Washington", "America/Los_Angeles", 737015,
       postcodes=("98101", "98104")),
    _c(5814616, "Vancouver", 45.63873, -122.66149, 51, "PPLA2", "US", "Washington", "America/Los_Angeles", 190915,
       postcodes=("98660",)),
    _c(6173331, "Vancouver", 49.24966, -123.11934, 70, "PPL", "CA", "British Columbia", "America/Vancouver", 662248),
    _c(4717560, "Paris", 33.66094, -95.55551, 183, "PPLA2", "US", "Texas", "America/Chicago", 24782),
    _c(6058560, "London", 42.98339, -81.23304, 252, "PPL", "CA", "Ontario", "America/Toronto", 422324),
    _c(5128581, "New York", 40.71427, -74.00597, 10, "PPL", "US", "New York", "America/New_York", 8804190,
       aliases=("New York City", "NYC")),
    _c(6324729, "St. John's", 47.56494, -52.70931, 27, "PPLA", "CA", "Newfoundland and Labrador", "America/St_Johns",
       110525, aliases=("Saint John's",)),
    _c(5880054, "Utqiagvik", 71.29058, -156.78872, 3, "PPLA2", "US", "Alaska", "America/Anchorage", 4927,
       aliases=("Barrow", "Utqiaġvik")),
    _c(4568127, "San Juan", 18.46633, -66.10572, 8, "PPLA", "PR", "San Juan", "America/Puerto_Rico", 418140),
    # South America
    _c(3872255, "San Pedro de Atacama", -22.91110, -68.20113, 2430, "PPLA3", "CL", "Antofagasta", "America/Santiago",
       3899),
    _c(3435910, "Buenos Aires", -34.61315, -58.37723, 25, "PPLC", "AR", "Buenos Aires F.D.", "America/Argentina/Buenos_Aires",
       13076300),
    _c(3652462, {"en": "Quito"}, -0.22985, -78.52495, 2850, "PPLC", "EC", "Pichincha", "America/Guayaquil", 1763275),
    _c(3651299, "Mitad del Mundo", 0.0, -78.45583, 2483, "PPL", "EC", "Pichincha", "America/Guayaquil", 0),
    _c(3646738, "Caracas", 10.48801, -66.87919, 887, "PPLC", "VE", "Distrito Federal", "America/Caracas", 3000000,
       refuses_automatic_zone=True),
    _c(3451190, {"en": "Rio de Janeiro"}, -22.90642, -43.18223, 5, "PPLA", "BR", "Rio de Janeiro", "America/Sao_Paulo",
       6747815),
    _c(3936456, "Lima", -12.04318, -77.02824, 154, "PPLC", "PE", "Lima region", "America/Lima", 7737002),
    # Europe
    _c(3161732, "Bergen", 60.39299, 5.32415, 12, "PPLA", "NO", "Vestland", "Europe/Oslo", 213585),
    _c(2950159, {"en": "Berlin", "ru": "Берлин", "zh": "柏林"}, 52.52437, 13.41053, 74, "PPLC", "DE", "Land Berlin", "Europe/Berlin", 3426354,
       postcodes=("10115", "10117")),
    _c(2867714, {"en": "Munich", "de": "München", "it": "Monaco di Baviera"}, 48.13743, 11.57549, 524, "PPLA", "DE", "Bavaria",
       "Europe/Berlin", 1260391),
    _c(2988507, {"en": "Paris", "ru": "Париж"}, 48.85341, 2.3488, 42, "PPLC", "FR", "Île-de-France Region", "Europe/Paris", 2138551),
    _c(2643743, {"en": "London", "fr": "Londres"}, 51.50853, -0.12574, 25, "PPLC", "GB", "England", "Europe/London",
       8961989),
    _c(2647937, "Greenwich", 51.47785, 0.0, 47, "PPL", "GB", "England", "Europe/London", 30578),
    _c(3413829, {"en": "Reykjavík", "de": "Reykjavík"}, 64.13548, -21.89541, 37, "PPLC", "IS", "Capital Region",
       "Atlantic/Reykjavik", 118918),
    _c(3133895, {"en": "Tromsø", "de": "Tromsø"}, 69.6489, 18.95508, 10, "PPLA2", "NO", "Troms", "Europe/Oslo", 52436),
    _c(2729907, "Longyearbyen", 78.22334, 15.64689, 11, "PPLC", "SJ", "Svalbard", "Arctic/Longyearbyen", 2060),
    _c(264371, {"en": "Athens", "de": "Athen", "el": "Αθήνα"}, 37.98376, 23.72784, 70, "PPLC", "GR", "Attica",
       "Europe/Athens", 664046),
    _c(524901, {"en": "Moscow", "de": "Moskau", "ru": "Москва"}, 55.75222, 37.61556, 144, "PPLC", "RU", "Moscow",
       "Europe/Moscow", 10381222),
    _c(3169070, {"en": "Rome", "de": "Rom", "it": "Roma"}, 41.89193, 12.51133, 20, "PPLC", "IT", "Lazio", "Europe/Rome",
       2318895),
    _c(2761369, {"en": "Vienna", "de": "Wien"}, 48.20849, 16.37208, 171, "PPLC", "AT", "Vienna", "Europe/Vienna", 1691468),
    # Africa
    _c(360630, {"en": "Cairo", "de": "Kairo", "ar": "القاهرة"}, 30.06263, 31.24967, 23, "PPLC", "EG", "Cairo", "Africa/Cairo",
       9606916),
    _c(184745, "Nairobi", -1.28333, 36.81667, 1684, "PPLC", "KE", "Nairobi County", "Africa/Nairobi", 4397073),
    _c(3369157, {"en": "Cape Town", "de": "Kapstadt"}, -33.92584, 18.42322, 25, "PPLA", "ZA", "Western Cape",
       "Africa/Johannesburg", 4710000),
    _c(2294915, "Takoradi", 4.89816, -1.76029, 9, "PPL", "GH", "Western", "Africa/Accra", 232919),
    _c(2294700, "Tema", 5.6698, 0.0, 15, "PPL", "GH", "Greater Accra", "Africa/Accra", 155782),
    # Asia
    _c(1850147, {"en": "Tokyo", "de": "Tokio", "ja": "東京", "zh": "东京"}, 35.6895, 139.69171, 44, "PPLC", "JP", "Tokyo",
       "Asia/Tokyo", 9733276),
    _c(1816670, {"en": "Beijing", "de": "Peking", "zh": "北京"}, 39.9075, 116.39723, 49, "PPLC", "CN", "Beijing",
       "Asia/Shanghai", 18960744, aliases=("北京", "Peking")),
    _c(1819729, {"en": "Hong Kong", "de": "Hongkong", "zh": "香港"}, 22.27832, 114.17469, 6, "PPLC", "HK", "", "Asia/Hong_Kong",
       7491609),
    _c(1821274, {"en": "Macau", "de": "Macau", "zh": "澳门"}, 22.20056, 113.54611, 0, "PPLC", "MO", "", "Asia/Macau", 649335,
       aliases=("Macao",)),
    _c(1283240, {"en": "Kathmandu", "ne": "काठमाडौं"}, 27.70169, 85.3206, 1317, "PPLC", "NP", "Bagmati Province",
       "Asia/Kathmandu", 1442271),
    _c(1275339, "Mumbai", 19.07283, 72.88261, 14, "PPLA", "IN", "Maharashtra", "Asia/Kolkata", 12691836,
       aliases=("Bombay",)),
    _c(1880252, {"en": "Singapore", "de": "Singapur", "zh": "新加坡"}, 1.28967, 103.85007, 23, "PPLC", "SG", "", "Asia/Singapore",
       5638700),
    _c(2028462, {"en": "Ulaanbaatar", "de": "Ulan-Bator"}, 47.90771, 106.88324, 1294, "PPLC", "MN", "Ulaanbaatar",
       "Asia/Ulaanbaatar", 844818),
    # Oceania
    _c(2147714, "Sydney", -33.86785, 151.20732, 58, "PPLA", "AU", "New South Wales", "Australia/Sydney", 4627345),
    _c(2078025, "Adelaide", -34.92866, 138.59863, 59, "PPLA", "AU", "South Australia", "Australia/Adelaide", 1225235),
    _c(2193733, "Auckland", -36.84853, 174.76349, 26, "PPLA", "NZ", "Auckland", "Pacific/Auckland", 417910),
    _c(4030723, {"en": "London"}, 1.98333, -157.475, 2, "PPL", "KI", "Line Islands", "Pacific/Kiritimati", 1879,
       aliases=("Ronton",)),
    _c(4030940, {"en": "Kiritimati", "de": "Weihnachtsinsel"}, 1.87045, -157.42976, 3, "ISL", "KI", "Line Islands",
       "Pacific/Kiritimati", 6456, aliases=("Christmas Island",)),
    _c(4035413, "Apia", -13.83333, -171.76666, 2, "PPLC", "WS", "Tuamasaga", "Pacific/Apia", 40407),
    # Where a visitor looks first, and what an ordinary user types
    _c(2267057, {"en": "Lisbon", "de": "Lissabon", "pt": "Lisboa", "es": "Lisboa", "fr": "Lisbonne"}, 38.71667, -9.13333, 45, "PPLC",
       "PT", "Lisbon", "Europe/Lisbon", 517802),
    _c(2735943, "Porto", 41.14961, -8.61099, 104, "PPLA", "PT", "Porto", "Europe/Lisbon", 249633, aliases=("Oporto",)),
    _c(3117735, "Madrid", 40.4165, -3.70256, 665, "PPLC", "ES", "Madrid", "Europe/Madrid", 3255944),
    _c(3128760, {"en": "Barcelona", "fr": "Barcelone", "it": "Barcellona"}, 41.38879, 2.15899, 15, "PPLA", "ES", "Catalonia",
       "Europe/Madrid", 1620343),
    _c(2510911, {"en": "Seville", "de": "Sevilla", "es": "Sevilla"}, 37.38283, -5.97317, 20, "PPLA", "ES", "Andalusia",
       "Europe/Madrid", 684234),
    _c(3143244, "Oslo", 59.91273, 10.74609, 26, "PPLC", "NO", "Oslo", "Europe/Oslo", 1082575),
    _c(2964574, {"en": "Dublin", "ga": "Baile Átha Cliath"}, 53.33306, -6.24889, 17, "PPLC", "IE", "Leinster", "Europe/Dublin", 1024027),
    _c(2650225, {"en": "Edinburgh", "fr": "Édimbourg"}, 55.95206, -3.19648, 76, "PPLA", "GB", "Scotland", "Europe/London", 506520),
    _c(2651048, {"en": "Dover", "fr": "Douvres"}, 51.12598, 1.31257, 10, "PPL", "GB", "England", "Europe/London", 42771),
    _c(2759794, "Amsterdam", 52.37403, 4.88969, 13, "PPLC", "NL", "North Holland", "Europe/Amsterdam", 741636),
    _c(2800866, {"en": "Brussels", "de": "Brüssel", "fr": "Bruxelles", "nl": "Brussel"}, 50.85045, 4.34878, 28, "PPLC", "BE",
       "Brussels Capital", "Europe/Brussels", 1019022),
    _c(2618425, {"en": "Copenhagen", "de": "Kopenhagen", "da": "København"}, 55.67594, 12.56553, 14, "PPLC", "DK", "Capital Region",
       "Europe/Copenhagen", 1153615),
    _c(2673730, "Stockholm", 59.32938, 18.06871, 28, "PPLC", "SE", "Stockholm", "Europe/Stockholm", 1515017),
    _c(658225, {"en": "Helsinki", "sv": "Helsingfors"}, 60.16952, 24.93545, 26, "PPLC", "FI", "Uusimaa", "Europe/Helsinki", 658864),
    _c(756135, {"en": "Warsaw", "de": "Warschau", "pl": "Warszawa"}, 52.22977, 21.01178, 113, "PPLC", "PL", "Mazovia", "Europe/Warsaw",
       1702139),
    _c(3094802, {"en": "Krakow", "de": "Krakau", "pl": "Kraków"}, 50.06143, 19.93658, 219, "PPLA", "PL", "Lesser Poland", "Europe/Warsaw",
       804237, aliases=("Cracow",)),
    _c(3067696, {"en": "Prague", "de": "Prag", "cs": "Praha"}, 50.08804, 14.42076, 202, "PPLC", "CZ", "Prague", "Europe/Prague", 1165581),
    _c(3054643, "Budapest", 47.49835, 19.04045, 104, "PPLC", "HU", "Budapest", "Europe/Budapest", 1741041),
    _c(2657896, {"en": "Zurich", "de": "Zürich"}, 47.36667, 8.55, 429, "PPLA", "CH", "Zurich", "Europe/Zurich", 341730),
    _c(2660646, {"en": "Geneva", "de": "Genf", "fr": "Genève"}, 46.20222, 6.14569, 375, "PPLA", "CH", "Geneva", "Europe/Zurich", 183981),
    _c(3164603, {"en": "Venice", "de": "Venedig", "it": "Venezia"}, 45.43713, 12.33265, 1, "PPLA", "IT", "Veneto", "Europe/Rome", 51298),
    _c(3176959, {"en": "Florence", "de": "Florenz", "it": "Firenze"}, 43.77925, 11.24626, 50, "PPLA", "IT", "Tuscany", "Europe/Rome",
       349296),
    _c(3173435, {"en": "Milan", "de": "Mailand", "it": "Milano"}, 45.46427, 9.18951, 122, "PPLA", "IT", "Lombardy", "Europe/Rome", 1371498),
    _c(3165524, {"en": "Turin", "it": "Torino"}, 45.07049, 7.68682, 239, "PPLA", "IT", "Piedmont", "Europe/Rome", 870456),
    _c(3172394, {"en": "Naples", "de": "Neapel", "it": "Napoli"}, 40.85216, 14.26811, 17, "PPLA", "IT", "Campania", "Europe/Rome", 909048),
    _c(6691831, {"en": "Vatican City", "de": "Vatikanstadt", "it": "Città del Vaticano"}, 41.90268, 12.45414, 55, "PPLC", "VA", "",
       "Europe/Vatican", 829),
    _c(2990440, {"en": "Nice", "de": "Nizza", "it": "Nizza"}, 43.70313, 7.26608, 18, "PPLA2", "FR", "Provence-Alpes-Côte d'Azur",
       "Europe/Paris", 342669),
    _c(2996944, {"en": "Lyon", "it": "Lione"}, 45.74846, 4.84671, 173, "PPLA", "FR", "Auvergne-Rhône-Alpes", "Europe/Paris", 522969),
    _c(2978758, "Saint-Tropez", 43.26807, 6.64062, 15, "PPL", "FR", "Provence-Alpes-Côte d'Azur", "Europe/Paris", 5612),
    _c(2911298, {"en": "Hamburg", "fr": "Hambourg"}, 53.55073, 9.99302, 5, "PPLA", "DE", "Hamburg", "Europe/Berlin", 1845229),
    _c(2886242, {"en": "Cologne", "de": "Köln"}, 50.93333, 6.95, 58, "PPLA2", "DE", "North Rhine-Westphalia", "Europe/Berlin", 963395),
    _c(2925533, {"en": "Frankfurt am Main", "fr": "Francfort"}, 50.11552, 8.68417, 113, "PPLA3", "DE", "Hesse", "Europe/Berlin", 650000),
    _c(2865716, "Neukirchen", 50.77806, 12.86745, 340, "PPL", "DE", "Saxony", "Europe/Berlin", 6956, admin2="Erzgebirgskreis"),
    _c(2865717, "Neukirchen", 50.78853, 12.37492, 260, "PPL", "DE", "Saxony", "Europe/Berlin", 4090, admin2="Landkreis Zwickau"),
    _c(3201047, "Dubrovnik", 42.64807, 18.09216, 3, "PPLA", "HR", "Dubrovnik-Neretva", "Europe/Zagreb", 28428),
    _c(785842, {"en": "Skopje", "mk": "Скопје"}, 41.99646, 21.43141, 245, "PPLC", "MK", "Skopje", "Europe/Skopje", 474889),
    _c(745044, {"en": "Istanbul", "tr": "İstanbul"}, 41.01384, 28.94966, 39, "PPLA", "TR", "Istanbul", "Europe/Istanbul", 14804116),
    _c(2542997, {"en": "Marrakesh", "de": "Marrakesch", "fr": "Marrakech"}, 31.63416, -7.99994, 457, "PPLA", "MA", "Marrakesh-Safi",
       "Africa/Casablanca", 839296),
    _c(2293538, "Abidjan", 5.35444, -4.00167, 18, "PPLA", "CI", "Abidjan", "Africa/Abidjan", 3677115),
    _c(2260535, "Brazzaville", -4.26613, 15.28318, 314, "PPLC", "CG", "Brazzaville", "Africa/Brazzaville", 1284609),
    _c(2314302, "Kinshasa", -4.32758, 15.31357, 240, "PPLC", "CD", "Kinshasa", "Africa/Kinshasa", 7785965),
    _c(292223, {"en": "Dubai", "fr": "Dubaï"}, 25.07725, 55.30927, 5, "PPLA", "AE", "Dubai", "Asia/Dubai", 3790000),
    _c(293397, {"en": "Tel Aviv", "de": "Tel Aviv"}, 32.08088, 34.78057, 15, "PPLA", "IL", "Tel Aviv", "Asia/Jerusalem", 432892),
    _c(1261481, {"en": "New Delhi", "de": "Neu-Delhi"}, 28.63576, 77.22445, 216, "PPLC", "IN", "Delhi", "Asia/Kolkata", 317797),
    _c(1609350, {"en": "Bangkok", "th": "กรุงเทพมหานคร"}, 13.75398, 100.50144, 12, "PPLC", "TH", "Bangkok", "Asia/Bangkok", 5104476),
    _c(1581130, {"en": "Hanoi", "vi": "Hà Nội"}, 21.0245, 105.84117, 17, "PPLC", "VN", "Hanoi", "Asia/Bangkok", 1431270),
    _c(1735161, "Kuala Lumpur", 3.1412, 101.68653, 59, "PPLC", "MY", "Kuala Lumpur", "Asia/Kuala_Lumpur", 1453975),
    _c(1642911, "Jakarta", -6.21462, 106.84513, 16, "PPLC", "ID", "Jakarta", "Asia/Jakarta", 8540121),
    _c(1645528, "Denpasar", -8.65, 115.21667, 31, "PPLA", "ID", "Bali", "Asia/Makassar", 834881),
    _c(1701668, "Manila", 14.6042, 120.9822, 6, "PPLC", "PH", "Metro Manila", "Asia/Manila", 1600000),
    _c(1857910, {"en": "Kyoto", "ja": "京都市"}, 35.02107, 135.75385, 55, "PPLA", "JP", "Kyoto", "Asia/Tokyo", 1463723),
    _c(1853909, {"en": "Osaka", "ja": "大阪市"}, 34.69379, 135.50107, 24, "PPLA", "JP", "Osaka", "Asia/Tokyo", 2753862),
    _c(1835848, {"en": "Seoul", "ko": "서울"}, 37.566, 126.9784, 38, "PPLC", "KR", "Seoul", "Asia/Seoul", 10349312),
    _c(1796236, {"en": "Shanghai", "de": "Schanghai", "zh": "上海"}, 31.22222, 121.45806, 12, "PPLA", "CN", "Shanghai", "Asia/Shanghai",
       24874500),
    _c(1668341, {"en": "Taipei", "zh": "台北"}, 25.05306, 121.52639, 17, "PPLC", "TW", "Taipei", "Asia/Taipei", 7871900),
    _c(2158177, "Melbourne", -37.814, 144.96332, 25, "PPLA", "AU", "Victoria", "Australia/Melbourne", 4917750),
    _c(2063523, "Perth", -31.95224, 115.8614, 18, "PPLA", "AU", "Western Australia", "Australia/Perth", 1896548),
    _c(2179537, "Wellington", -41.28664, 174.77557, 31, "PPLC", "NZ", "Wellington", "Pacific/Auckland", 381900),
    _c(5746545, "Portland", 45.52345, -122.67621, 15, "PPLA2", "US", "Oregon", "America/Los_Angeles", 652503),
    _c(4975802, "Portland", 43.65737, -70.2589, 14, "PPLA2", "US", "Maine", "America/New_York", 68408),
    _c(4142290, "Dover", 39.15817, -75.52437, 9, "PPLA", "US", "Delaware", "America/New_York", 37522),
    _c(5368361, "Los Angeles", 34.05223, -118.24368, 89, "PPLA2", "US", "California", "America/Los_Angeles", 3898747),
    _c(5391959, "San Francisco", 37.77493, -122.41942, 16, "PPLA2", "US", "California", "America/Los_Angeles", 864816),
    _c(5506956, "Las Vegas", 36.17497, -115.13722, 613, "PPLA2", "US", "Nevada", "America/Los_Angeles", 641903),
    _c(5419384, "Denver", 39.73915, -104.9847, 1636, "PPLA", "US", "Colorado", "America/Denver", 715522),
    _c(4887398, "Chicago", 41.85003, -87.65005, 179, "PPLA2", "US", "Illinois", "America/Chicago", 2720546),
    _c(4335045, "New Orleans", 29.95465, -90.07507, 0, "PPLA2", "US", "Louisiana", "America/Chicago", 389617),
    _c(4930956, "Boston", 42.35843, -71.05977, 38, "PPLA", "US", "Massachusetts", "America/New_York", 667137),
    _c(4140963, "Washington", 38.89511, -77.03637, 6, "PPLC", "US", "District of Columbia", "America/New_York", 689545),
    _c(4164138, "Miami", 25.77427, -80.19366, 2, "PPLA2", "US", "Florida", "America/New_York", 441003),
    _c(5856195, "Honolulu", 21.30694, -157.85833, 18, "PPLA", "US", "Hawaii", "Pacific/Honolulu", 371657),
    _c(6167865, "Toronto", 43.70643, -79.39864, 175, "PPLA", "CA", "Ontario", "America/Toronto", 2600000),
    _c(6077243, {"en": "Montreal", "fr": "Montréal"}, 45.50884, -73.58781, 216, "PPL", "CA", "Quebec", "America/Toronto", 1600000),
    _c(3530597, {"en": "Mexico City", "de": "Mexiko-Stadt", "es": "Ciudad de México"}, 19.42847, -99.12766, 2240, "PPLC", "MX",
       "Mexico City", "America/Mexico_City", 12294193),
    _c(3531673, {"en": "Cancún"}, 21.17429, -86.84656, 7, "PPLA2", "MX", "Quintana Roo", "America/Cancun", 628306),
    _c(3553478, {"en": "Havana", "de": "Havanna", "es": "La Habana"}, 23.13302, -82.38304, 59, "PPLC", "CU", "Havana", "America/Havana",
       2163824),
    _c(3688689, {"en": "Bogotá"}, 4.60971, -74.08175, 2582, "PPLC", "CO", "Bogota D.C.", "America/Bogota", 7674366),
    _c(3871336, {"en": "Santiago"}, -33.45694, -70.64827, 556, "PPLC", "CL", "Santiago Metropolitan", "America/Santiago", 4837295),
    _c(3941584, {"en": "Cusco", "de": "Cuzco"}, -13.52264, -71.96734, 3399, "PPLA", "PE", "Cusco", "America/Lima", 312140),
    _c(3441575, "Montevideo", -34.90328, -56.18816, 22, "PPLC", "UY", "Montevideo", "America/Montevideo", 1270737),
    _c(3448439, {"en": "São Paulo"}, -23.5475, -46.63611, 769, "PPLA", "BR", "São Paulo", "America/Sao_Paulo", 10021295),
    # Antarctica, and nowhere
    _c(6696480, "McMurdo Station", -77.846, 166.676, 10, "STNB", "AQ", "", "Antarctica/McMurdo", 1258),
    _c(9900001, "Null Island", 0.0, 0.0, 0, "ISL", "", "", "Etc/GMT", 0),
)

BY_ID = {city.id: city for city in CITIES}
LANGUAGES = frozenset(language for city in CITIES for language in city.names)


def folded(text):
    """The text as the index compares it: lower case, without marks that decompose (ø, ł and ß stay)."""
    decomposed = unicodedata.normalize("NFD", text)
    kept = "".join(c for c in decomposed if not unicodedata.combining(c))
    return unicodedata.normalize("NFC", kept).lower()


def _priority(city, query, language):
    """How well this place answers the query, or None if it does not."""
    best = None
    exact_only = len(query) == 2
    for text in city.searchable(language):
        text = folded(text)
        if text == query:
            match = 1.5
        elif not exact_only and text.startswith(query):
            match = 1.5 / (len(text) - len(query) + 1)
        else:
            continue
        best = match if best is None else max(best, match)
    if best is None:
        return None
    rank = min(1.0, city.population / 500_000)
    rank += {"PPLC": 0.3, "PPLA": 0.3, "PPLA2": 0.23, "PPLA3": 0.2, "PPL": 0.1}.get(city.feature_code, 0)
    return best + rank


MADE_UP_IDS = 100_000_000
MADE_UP = re.compile(r"city (\d{0,6})\Z")


def made_up(number):
    """A city for load tests; every number has coordinates of its own at two decimals."""
    return City(
        id=MADE_UP_IDS + number,
        names={"en": f"City {number:06d}"},
        latitude=round(-60 + number // 3400 * 0.1, 2),
        longitude=round(-170 + number % 3400 * 0.1, 2) or 0.01,
        elevation=100.0,
        feature_code="PPL",
        country_code="ZZ",
        admin1="",
        timezone="Etc/GMT",
        population=1000,
    )


class Gazetteer:
    """Finds places by name. `made_up_cities` more exist under the names "City 000000" and so on."""

    def __init__(self, made_up_cities=0):
        self.made_up_cities = min(made_up_cities, 1_000_000)
        self._zones = {}
        self._places = {}

    def search(self, name, count=10, language="en", country_code=None):
        if language not in LANGUAGES:
            language = "en"
        qualifier = None
        if "," in name:
            parts = name.split(",")
            name, qualifier = parts[0].strip(), parts[1].strip()
        query = folded(name)
        if len(query) < 2:
            return []
        found = [(p, city) for city in CITIES if (p := _priority(city, query, language)) is not None]
        found.sort(key=lambda pair: (-pair[0], pair[1].id))
        places = [city for _, city in found] + self._made_up(query, count)
        if qualifier is not None:
            codes = countries_named(qualifier, language)
            places = [city for city in places if city.country_code in codes]
        places = places[:count]
        # The country filter comes after the cut, as in Open-Meteo's source.
        if country_code:
            places = [city for city in places if city.country_code == country_code]
        return places

    def get(self, number):
        """The place of this GeoNames id, or None."""
        if 0 <= number - MADE_UP_IDS < self.made_up_cities:
            return made_up(number - MADE_UP_IDS)
        return BY_ID.get(number)

    def _made_up(self, query, count):
        match = MADE_UP.match(query)
        if not match or not self.made_up_cities:
            return []
        digits = match[1]
        first = int(digits.ljust(6, "0"))
        last = min(int(digits.ljust(6, "9")), self.made_up_cities - 1)
        return [made_up(number) for number in range(first, min(last + 1, first + count))]

    def at(self, latitude, longitude):
        """The known place at these coordinates (to about two kilometres), or None."""
        key = (latitude, longitude)
        if key not in self._places:
            if len(self._places) >= 100_000:
                self._places.clear()
            self._places[key] = next(
                (city for city in CITIES if abs(city.latitude - latitude) < 0.02 and abs(city.longitude - longitude) < 0.02), None)
        return self._places[key]

    def nearest_zone(self, latitude, longitude):
        """An IANA zone for any point: that of a known place near by, else one counted from the longitude."""
        key = (latitude, longitude)
        if key in self._zones:
            return self._zones[key]
        best, distance = None, 3.0
        for city in CITIES:
            away = max(abs(city.latitude - latitude), abs(city.longitude - longitude))
            if away < distance and city.country_code:
                best, distance = city, away
        if best:
            zone = best.timezone
        else:
            hours = round(longitude / 15)
            zone = "Etc/GMT" if hours == 0 else f"Etc/GMT{-hours:+d}"
        if len(self._zones) < 100_000:
            self._zones[key] = zone
        return zone


def countries_named(text, language):
    """Codes of the countries that a qualifier means, under the same rules as a name."""
    query = folded(text)
    codes = set()
    for code, (_, english, german) in COUNTRIES.items():
        names = [english] + ([german] if language == "de" else [])
        for name in map(folded, names):
            if name == query or (len(query) >= 3 and name.startswith(query)):
                codes.add(code)
    return codes


def result(city, language):
    """The place as the answer's `results` hold it: 0, "" and [] leave their key out."""
    if language not in LANGUAGES:
        language = "en"
    country_id, english, german = COUNTRIES.get(city.country_code, (0, "", ""))
    fields = {
        "id": city.id,
        "name": city.name(language),
        "latitude": city.latitude,
        "longitude": city.longitude,
        "elevation": float(city.elevation),
        "feature_code": city.feature_code,
        "country_code": city.country_code,
        "admin1_id": city.id + 1 if city.admin1 else 0,
        "admin2_id": city.id + 2 if city.admin2 else 0,
        "timezone": city.timezone,
        "population": city.population,
        "postcodes": list(city.postcodes),
        "country_id": country_id,
        "country": german if language == "de" else english,
        "admin1": city.admin1,
        "admin2": city.admin2,
    }
    return {key: value for key, value in fields.items() if value}
