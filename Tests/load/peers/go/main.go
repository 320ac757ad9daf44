// What the program is measured against in Go: net/http/fcgi in front of a map, net/http behind it.
//
//	peer -socket PATH -answers FOLDER [-upstream http://HOST:PORT]
//
// The folder holds the keys, one "city<tab>country" a line, and the answers: json.head, json.body, html.head,
// html.body. With an upstream, what isn't in the map is asked for there, rendered and stored.
package main

import (
	"bufio"
	"bytes"
	"flag"
	"log"
	"net"
	"net/http"
	"net/http/fcgi"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// An answer as it is kept: bytes and header fields.
type answer struct {
	fields   [][2]string
	body     []byte
	storedAt time.Time
}

type key struct {
	city, country string
	isHTML        bool
}

type responder struct {
	lock     sync.RWMutex
	answers  map[key]*answer
	upstream *upstream
}

func (r *responder) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	name := request.URL.Path[strings.LastIndexByte(request.URL.Path, '/')+1:]
	if name != "weather" && name != "weather.html" {
		w.Header().Set("Content-Length", "0")
		w.WriteHeader(http.StatusNotFound)
		return
	}
	query := request.URL.Query()
	wanted := key{query.Get("city"), query.Get("country"), name == "weather.html"}
	r.lock.RLock()
	found := r.answers[wanted]
	r.lock.RUnlock()
	how := "responder; hit"
	if found == nil {
		if r.upstream == nil || wanted.isHTML {
			w.Header().Set("Content-Length", "0")
			w.WriteHeader(http.StatusNotFound)
			return
		}
		body, err := r.upstream.weather(request.Context(), wanted.city)
		if err != nil {
			log.Print(err)
			w.Header().Set("Content-Length", "0")
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		how = "responder; fwd=miss"
		found = &answer{fields: jsonFields(body), body: body, storedAt: time.Now()}
		r.lock.Lock()
		r.answers[wanted] = found
		r.lock.Unlock()
	}
	header := w.Header()
	for _, field := range found.fields {
		header.Set(field[0], field[1])
	}
	header.Set("Age", strconv.Itoa(int(time.Since(found.storedAt).Seconds())))
	header.Set("Cache-Status", how)
	header.Set("Server-Timing", "render;dur=0.0")
	header.Set("Content-Length", strconv.Itoa(len(found.body)))
	_, _ = w.Write(found.body)
}

func (r *responder) load(folder string) error {
	var stored [2]answer
	for i, name := range []string{"json", "html"} {
		head, err := os.ReadFile(filepath.Join(folder, name+".head"))
		if err != nil {
			return err
		}
		for _, line := range strings.Split(strings.TrimSpace(string(head)), "\r\n") {
			field := strings.SplitN(line, ": ", 2)
			stored[i].fields = append(stored[i].fields, [2]string{field[0], field[1]})
		}
		if stored[i].body, err = os.ReadFile(filepath.Join(folder, name+".body")); err != nil {
			return err
		}
		stored[i].storedAt = time.Now()
	}
	keys, err := os.ReadFile(filepath.Join(folder, "keys"))
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(bytes.NewReader(keys))
	for lines.Scan() {
		parts := strings.SplitN(lines.Text(), "\t", 2)
		for i := range stored {
			own := stored[i]
			own.body = append([]byte(nil), own.body...)
			r.answers[key{parts[0], parts[1], i == 1}] = &own
		}
	}
	return lines.Err()
}

func main() {
	socket := flag.String("socket", "", "unix socket to listen on")
	folder := flag.String("answers", "", "folder with keys and answers")
	address := flag.String("upstream", "", "where to ask for what isn't known")
	flag.Parse()
	r := &responder{answers: map[key]*answer{}}
	if *address != "" {
		r.upstream = newUpstream(*address)
	}
	if *folder != "" {
		if err := r.load(*folder); err != nil {
			log.Fatal(err)
		}
	}
	listener, err := net.Listen("unix", *socket)
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(fcgi.Serve(listener, r))
}
