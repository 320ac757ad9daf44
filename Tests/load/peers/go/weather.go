package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// The two questions to Open-Meteo, one after the other.
type upstream struct {
	client  *http.Client
	address string
}

func newUpstream(address string) *upstream {
	return &upstream{
		address: address,
		client: &http.Client{
			Timeout: 6 * time.Second,
			Transport: &http.Transport{
				MaxIdleConns: 4096, MaxIdleConnsPerHost: 4096, IdleConnTimeout: time.Minute, DisableCompression: true,
			},
		},
	}
}

type place struct {
	Name      string  `json:"name"`
	Country   *string `json:"country"`
	Region    *string `json:"admin1"`
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
	TimeZone  *string `json:"timezone"`
}

type forecast struct {
	Timezone string `json:"timezone"`
	Offset   int    `json:"utc_offset_seconds"`
	Current  struct {
		Time        string   `json:"time"`
		Temperature *float64 `json:"temperature_2m"`
		Apparent    *float64 `json:"apparent_temperature"`
		Humidity    *float64 `json:"relative_humidity_2m"`
		Rain        *float64 `json:"precipitation"`
		Wind        *float64 `json:"wind_speed_10m"`
		Code        *int     `json:"weather_code"`
		IsDay       *int     `json:"is_day"`
	} `json:"current"`
	Daily struct {
		Time    []string   `json:"time"`
		Code    []*int     `json:"weather_code"`
		Maximum []*float64 `json:"temperature_2m_max"`
		Minimum []*float64 `json:"temperature_2m_min"`
		Rain    []*float64 `json:"precipitation_sum"`
		Chance  []*float64 `json:"precipitation_probability_max"`
		Sunrise []string   `json:"sunrise"`
		Sunset  []string   `json:"sunset"`
	} `json:"daily"`
}

func (u *upstream) get(ctx context.Context, path string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.address+path, nil)
	if err != nil {
		return err
	}
	answer, err := u.client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("upstream: %s", answer.Status)
	}
	return json.Unmarshal(body, into)
}

func (u *upstream) weather(ctx context.Context, city string) ([]byte, error) {
	var found struct {
		Results []place `json:"results"`
	}
	path := "/v1/search?name=" + strings.ReplaceAll(url.QueryEscape(city), "+", "%20") + "&count=10&language=en&format=json"
	if err := u.get(ctx, path, &found); err != nil {
		return nil, err
	}
	if len(found.Results) == 0 {
		return nil, fmt.Errorf("no such place: %s", city)
	}
	where := found.Results[0]
	var weather forecast
	path = fmt.Sprintf("/v1/forecast?latitude=%.2f&longitude=%.2f"+
		"&current=temperature_2m,apparent_temperature,relative_humidity_2m,precipitation,wind_speed_10m,weather_code,is_day"+
		"&daily=weather_code,temperature_2m_max,temperature_2m_min,precipitation_sum,precipitation_probability_max,sunrise,sunset"+
		"&forecast_days=16&timezone=auto", where.Latitude, where.Longitude)
	if err := u.get(ctx, path, &weather); err != nil {
		return nil, err
	}
	return render(where, weather)
}

type credit struct {
	Text    string `json:"text"`
	URL     string `json:"url"`
	Licence string `json:"licence"`
}

type answerPlace struct {
	Name      string  `json:"name"`
	Country   *string `json:"country"`
	Region    *string `json:"region"`
	Title     string  `json:"title"`
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
	TimeZone  string  `json:"timeZone"`
}

type answerCurrent struct {
	Time        string   `json:"time"`
	Temperature *float64 `json:"temperature"`
	Apparent    *float64 `json:"apparentTemperature"`
	Humidity    *float64 `json:"relativeHumidity"`
	Rain        *float64 `json:"precipitation"`
	Wind        *float64 `json:"windSpeed"`
	Code        *int     `json:"code"`
	Words       string   `json:"words"`
	Symbol      string   `json:"symbol"`
	IsDay       bool     `json:"isDay"`
}

type answerUnits struct {
	Temperature string `json:"temperature"`
	WindSpeed   string `json:"windSpeed"`
	Rain        string `json:"precipitation"`
	Humidity    string `json:"relativeHumidity"`
	Chance      string `json:"precipitationProbability"`
}

type answerJSON struct {
	State       string        `json:"state"`
	Place       answerPlace   `json:"place"`
	Current     answerCurrent `json:"current"`
	Line        string        `json:"line"`
	Trip        *struct{}     `json:"trip"`
	Units       answerUnits   `json:"units"`
	UpdatedAt   string        `json:"updatedAt"`
	Stale       *string       `json:"stale"`
	Message     *string       `json:"message"`
	Sample      bool          `json:"sample"`
	Attribution struct {
		Weather credit `json:"weather"`
		Places  credit `json:"places"`
	} `json:"attribution"`
}

func rounded(value *float64, digits int) *float64 {
	if value == nil {
		return nil
	}
	power := math.Pow10(digits)
	result := math.Round(*value*power) / power
	return &result
}

func sky(code *int, isDay bool) (words, symbol string) {
	if code == nil {
		return "", "questionmark.circle"
	}
	pick := func(day, night string) string {
		if isDay {
			return day
		}
		return night
	}
	switch c := *code; {
	case c == 0:
		return "Clear sky", pick("sun.max", "moon.stars")
	case c == 1:
		return "Mainly clear", pick("sun.min", "moon")
	case c == 2:
		return "Partly cloudy", pick("cloud.sun", "cloud.moon")
	case c == 3:
		return "Overcast", "cloud"
	case c == 45 || c == 48:
		return "Fog", "cloud.fog"
	case c >= 51 && c <= 57:
		return "Drizzle", "cloud.drizzle"
	case c >= 61 && c <= 67 || c >= 80 && c <= 82:
		return "Rain", "cloud.rain"
	case c >= 71 && c <= 77 || c == 85 || c == 86:
		return "Snow", "cloud.snow"
	case c >= 95 && c <= 99:
		return "Thunderstorm", "cloud.bolt.rain"
	}
	return fmt.Sprintf("Weather code %d", *code), "questionmark.circle"
}

func render(where place, weather forecast) ([]byte, error) {
	title := where.Name
	if where.Country != nil {
		title += ", " + *where.Country
	}
	zone := weather.Timezone
	if where.TimeZone != nil {
		zone = *where.TimeZone
	}
	now := weather.Current
	isDay := now.IsDay == nil || *now.IsDay == 1
	words, symbol := sky(now.Code, isDay)
	line := title + ": "
	if now.Temperature != nil {
		degrees := int(math.Round(*now.Temperature))
		sign := ""
		if degrees < 0 {
			sign, degrees = "−", -degrees
		}
		line += fmt.Sprintf("%s%d°C, ", sign, degrees)
	}
	answer := answerJSON{
		State: "loaded",
		Place: answerPlace{where.Name, where.Country, where.Region, title, where.Latitude, where.Longitude, zone},
		Current: answerCurrent{
			now.Time, rounded(now.Temperature, 1), rounded(now.Apparent, 1), rounded(now.Humidity, 1), rounded(now.Rain, 2),
			rounded(now.Wind, 1), now.Code, words, symbol, isDay,
		},
		Line:      line + words,
		Units:     answerUnits{"°C", "km/h", "mm", "%", "%"},
		UpdatedAt: time.Now().UTC().Format("2006-01-02T15:04:05Z"),
	}
	answer.Attribution.Weather = credit{"Weather data by Open-Meteo.com", "https://open-meteo.com/", "CC BY 4.0"}
	answer.Attribution.Places = credit{"GeoNames", "https://www.geonames.org/", "CC BY 4.0"}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(answer); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func jsonFields(body []byte) [][2]string {
	tag := fnv.New64a()
	_, _ = tag.Write(body)
	return [][2]string{
		{"Content-Type", "application/json"},
		{"Cache-Control", "public, max-age=0, must-revalidate"},
		{"ETag", fmt.Sprintf("\"%016X\"", tag.Sum64())},
		{"Content-Language", "en"},
		{"Vary", "Accept"},
	}
}
