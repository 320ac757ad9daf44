<?php
// The two questions to Open-Meteo, one after the other on one curl handle, and the answer made of them.
declare(strict_types=1);

function get(CurlHandle $curl, string $address): ?array
{
    curl_setopt($curl, CURLOPT_URL, $address);
    $text = curl_exec($curl);
    if (!is_string($text) || curl_getinfo($curl, CURLINFO_RESPONSE_CODE) !== 200) {
        return null;
    }
    return json_decode($text, true);
}

function sky(?int $code, bool $isDay): array
{
    return match (true) {
        $code === null => [null, null],
        $code === 0 => ['Clear sky', $isDay ? 'sun.max' : 'moon.stars'],
        $code === 1 => ['Mainly clear', $isDay ? 'sun.min' : 'moon'],
        $code === 2 => ['Partly cloudy', $isDay ? 'cloud.sun' : 'cloud.moon'],
        $code === 3 => ['Overcast', 'cloud'],
        $code === 45, $code === 48 => ['Fog', 'cloud.fog'],
        $code >= 51 && $code <= 57 => ['Drizzle', 'cloud.drizzle'],
        $code >= 61 && $code <= 67, $code >= 80 && $code <= 82 => ['Rain', 'cloud.rain'],
        $code >= 71 && $code <= 77, $code === 85, $code === 86 => ['Snow', 'cloud.snow'],
        $code >= 95 && $code <= 99 => ['Thunderstorm', 'cloud.bolt.rain'],
        default => ["Weather code $code", 'questionmark.circle'],
    };
}

function rounded(int|float|null $value, int $digits): int|float|null
{
    if ($value === null) {
        return null;
    }
    $value = round((float) $value, $digits);
    return $value == (int) $value ? (int) $value : $value;
}

function weather(string $upstream, string $city): ?string
{
    $curl = curl_init();
    curl_setopt_array($curl, [
        CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT_MS => 6000, CURLOPT_NOSIGNAL => true, CURLOPT_PROXY => '',
    ]);
    $name = rawurlencode($city);
    $search = get($curl, "$upstream/v1/search?name=$name&count=10&language=en&format=json");
    $place = $search['results'][0] ?? null;
    if ($place === null) {
        return null;
    }
    $forecast = get($curl, sprintf(
        '%s/v1/forecast?latitude=%.2f&longitude=%.2f&current=temperature_2m,apparent_temperature,'
        . 'relative_humidity_2m,precipitation,wind_speed_10m,weather_code,is_day&daily=weather_code,temperature_2m_max,'
        . 'temperature_2m_min,precipitation_sum,precipitation_probability_max,sunrise,sunset&forecast_days=16&timezone=auto',
        $upstream,
        $place['latitude'],
        $place['longitude'],
    ));
    if ($forecast === null) {
        return null;
    }
    $now = $forecast['current'];
    $isDay = ($now['is_day'] ?? 1) === 1;
    [$words, $symbol] = sky($now['weather_code'] ?? null, $isDay);
    $title = $place['name'] . (isset($place['country']) ? ', ' . $place['country'] : '');
    $degrees = (int) round((float) $now['temperature_2m']);
    return json_encode([
        'state' => 'loaded',
        'place' => [
            'name' => $place['name'],
            'country' => $place['country'] ?? null,
            'region' => $place['admin1'] ?? null,
            'title' => $title,
            'latitude' => rounded($place['latitude'], 6),
            'longitude' => rounded($place['longitude'], 6),
            'timeZone' => $place['timezone'] ?? $forecast['timezone'],
        ],
        'current' => [
            'time' => $now['time'],
            'temperature' => rounded($now['temperature_2m'], 1),
            'apparentTemperature' => rounded($now['apparent_temperature'], 1),
            'relativeHumidity' => rounded($now['relative_humidity_2m'], 1),
            'precipitation' => rounded($now['precipitation'], 2),
            'windSpeed' => rounded($now['wind_speed_10m'], 1),
            'code' => $now['weather_code'],
            'words' => $words,
            'symbol' => $symbol,
            'isDay' => $isDay,
        ],
        'line' => $title . ': ' . ($degrees < 0 ? '−' . -$degrees : $degrees) . "°C, $words",
        'trip' => null,
        'units' => [
            'temperature' => '°C', 'windSpeed' => 'km/h', 'precipitation' => 'mm', 'relativeHumidity' => '%',
            'precipitationProbability' => '%',
        ],
        'updatedAt' => gmdate('Y-m-d\TH:i:s\Z'),
        'stale' => null,
        'message' => null,
        'sample' => false,
        'attribution' => [
            'weather' => [
                'text' => 'Weather data by Open-Meteo.com', 'url' => 'https://open-meteo.com/', 'licence' => 'CC BY 4.0',
            ],
            'places' => ['text' => 'GeoNames', 'url' => 'https://www.geonames.org/', 'licence' => 'CC BY 4.0'],
        ],
    ], JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR);
}
