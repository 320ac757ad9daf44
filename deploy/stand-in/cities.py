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
    "AR": (3865483, "Argentina", "Argentinien"),
    "AT": (2782113, "Austria", "Österreich"),
    "AU": (2077456, "Australia", "Australien"),
    "BR": (3469034, "Brazil", "Brasilien"),
    "CA": (6251999, "Canada", "Kanada"),
    "CL": (3895114, "Chile", "Chile"),
    "CN": (1814991, "China", "China"),
    "DE": (2921044, "Germany", "Deutschland"),
    "EC": (3658394, "Ecuador", "Ecuador"),
    "EG": (357994, "Egypt", "Ägypten"),
    "FR": (3017382, "France", "Frankreich"),
    "GB": (2635167, "United Kingdom", "Vereinigtes Königreich"),
    "GH": (2300660, "Ghana", "Ghana"),
    "GR": (390903, "Greece", "Griechenland"),
    "IN": (1269750, "India", "Indien"),
    "IS": (2629691, "Iceland", "Island"),
    "IT": (3175395, "Italy", "Italien"),
    "JP": (1861060, "Japan", "Japan"),
    "KE": (192950, "Kenya", "Kenia"),
    "KI": (4030945, "Kiribati", "Kiribati"),
    "MN": (2029969, "Mongolia", "Mongolei"),
    "NO": (3144096, "Norway", "Norwegen"),
    "NP": (1282988, "Nepal", "Nepal"),
    "NZ": (2186224, "New Zealand", "Neuseeland"),
    "PE": (3932488, "Peru", "Peru"),
    "RU": (2017370, "Russia", "Russland"),
    "SG": (1880251, "Singapore", "Singapur"),
    "US": (6252001, "United States", "Vereinigte Staaten"),
    "VE": (3625428, "Venezuela", "Venezuela"),
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
    # Antarctica, and nowhere
    _c(6696480, "McMurdo Station", -77.846, 166.676, 10, "STNB", "AQ", "", "Antarctica/McMurdo", 1258),
    _c(9900001, "Null Island", 0.0, 0.0, 0, "ISL", "", "", "Etc/GMT", 0),
)

LANGUAGES = frozenset(language for city in CITIES for language in city.names)


def folded(text):
    """The text as the index compares it: lower case, without marks that decompose (ø, ł and ß stay)."""
    decomposed = unicodedata.normalize("NFD", text)
    kept = "".join(c for c in decomposed if not unicodedata.combining(c))
    return unicodedata.normalize("NFC", kept).lower()


def _priority(city, query, language):
    """How well this place answers the query, or None where it does not."""
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


MADE_UP = re.compile(r"city (\d{0,6})\Z")


def made_up(number):
    """A city for load tests; every number has coordinates of its own at two decimals."""
    return City(
        id=10_000_000 + number,
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
        for city in CITIES:
            if abs(city.latitude - latitude) < 0.02 and abs(city.longitude - longitude) < 0.02:
                return city
        return None

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
        "timezone": city.timezone,
        "population": city.population,
        "postcodes": list(city.postcodes),
        "country_id": country_id,
        "country": german if language == "de" else english,
        "admin1": city.admin1,
    }
    return {key: value for key, value in fields.items() if value}
