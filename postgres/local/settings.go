package local

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	mathrand "math/rand/v2"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
)

// settings are what must stay the same from one start to the next.
type settings struct {
	Port     int    `json:"port"`
	Password string `json:"password"`
}

// databaseURL returns the connection URL of one database of the server.
func (s settings) databaseURL(database string) string {
	return (&url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(superuser, s.Password),
		Host:     net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port)),
		Path:     "/" + database,
		RawQuery: "sslmode=disable",
	}).String()
}

func newSettings() settings { return settings{Password: rand.Text()} }

// loadSettings reads the file, or returns new settings when there is none yet.
func loadSettings(path string) (settings, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return newSettings(), nil
	}
	if err != nil {
		return settings{}, fmt.Errorf("reading the local server's settings: %w", err)
	}
	var s settings
	if err := json.Unmarshal(text, &s); err != nil {
		return settings{}, fmt.Errorf("reading the local server's settings in %s: %w", path, err)
	}
	return s, nil
}

// save replaces the file in one step; it holds the password, so only the owner may read it.
func (s settings) save(path string) error {
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("writing the local server's settings: %w", err)
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), "settings-*")
	if err != nil {
		return fmt.Errorf("writing the local server's settings: %w", err)
	}
	defer os.Remove(temporary.Name()) // fails once it has been renamed, as it should
	_, err = temporary.Write(append(text, '\n'))
	if err := errors.Join(err, temporary.Sync(), temporary.Close()); err != nil {
		return fmt.Errorf("writing the local server's settings: %w", err)
	}
	if err := os.Rename(temporary.Name(), path); err != nil {
		return fmt.Errorf("writing the local server's settings: %w", err)
	}
	return nil
}

// Ports are taken from below those that systems give to outgoing connections: one of these could take the port
// of a server that was killed before it is started again, and then all who know its address would lose it.
const (
	lowestPort  = 20_000
	highestPort = 32_000
)

// freePort finds a port of the loopback address that nobody uses now.
func freePort() (int, error) {
	for range 100 {
		if port := lowestPort + mathrand.IntN(highestPort-lowestPort); portFree(port) {
			return port, nil
		}
	}
	return 0, fmt.Errorf("finding a free port: the ports between %d and %d are in use", lowestPort, highestPort)
}

// portFree tells whether a server could listen on the port now.
func portFree(port int) bool {
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return false
	}
	listener.Close()
	return true
}
