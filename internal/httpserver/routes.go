package httpserver

import "net/http"

// Routes takes what a part of the server answers: an http.ServeMux, or who lists its patterns.
type Routes interface {
	Handle(pattern string, handler http.Handler)
	HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request))
}
