// Package buckettest is storage in memory that speaks as much of the protocol of Amazon S3 as exports need, and holds
// clients to its signatures.
package buckettest

import (
	"bufio"
	"crypto/hmac"
	"crypto/md5" //nolint:gosec // what S3 calls an ETag
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// The one key that opens the storage, and its bucket.
const (
	AccessKey = "AKIDEXAMPLE"
	SecretKey = "wJalrXUtnFEMI/K7MDENG"
	Bucket    = "history"
	Region    = "eu-central-1"
)

// Server is a storage that ends with its test.
type Server struct {
	URL string
	// Refuse answers a request in the storage's place, if it returns true.
	Refuse func(w http.ResponseWriter, r *http.Request) bool

	mu      sync.Mutex
	objects map[string][]byte
	parts   map[string]map[int][]byte // by upload
	puts    int
}

// New starts a storage.
func New(t testing.TB) *Server {
	s := &Server{objects: map[string][]byte{}, parts: map[string]map[int][]byte{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Objects returns the names of all objects, in order.
func (s *Server) Objects() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for name := range s.objects {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Object returns the content of an object.
func (s *Server) Object(name string) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.objects[name]
}

// Put puts an object there as somebody else would.
func (s *Server) Put(name string, content []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects[name] = content
}

// Puts returns how many objects and parts were sent.
func (s *Server) Puts() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.puts
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.Refuse != nil && s.Refuse(w, r) {
		return
	}
	if problem := checkSignature(r); problem != "" {
		refuse(w, http.StatusForbidden, problem)
		return
	}
	bucket, object, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if bucket != Bucket {
		refuse(w, http.StatusNotFound, "NoSuchBucket")
		return
	}
	body, err := readBody(r)
	if err != nil {
		refuse(w, http.StatusBadRequest, "IncompleteBody")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer(w, r, object, body)
}

// answer answers a request whose sender is known.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, object string, body []byte) {
	query := r.URL.Query()
	upload, part := query.Get("uploadId"), query.Get("partNumber")
	switch {
	case query.Has("location"):
		fmt.Fprintf(w, `<LocationConstraint>%s</LocationConstraint>`, Region)
	case r.Method == http.MethodGet && object == "":
		s.list(w, query.Get("prefix"))
	case r.Method == http.MethodPost && query.Has("uploads"):
		id := strconv.Itoa(len(s.parts) + 1)
		s.parts[id] = map[int][]byte{}
		fmt.Fprintf(w, `<InitiateMultipartUploadResult><UploadId>%s</UploadId></InitiateMultipartUploadResult>`, id)
	case r.Method == http.MethodPost && upload != "":
		var whole []byte
		for n := 1; n <= len(s.parts[upload]); n++ {
			whole = append(whole, s.parts[upload][n]...)
		}
		s.objects[object] = whole
		fmt.Fprint(w, `<CompleteMultipartUploadResult><Bucket>`+Bucket+`</Bucket></CompleteMultipartUploadResult>`)
	case r.Method == http.MethodPut:
		s.puts++
		if upload == "" {
			s.objects[object] = body
		} else {
			n, _ := strconv.Atoi(part)
			s.parts[upload][n] = body
		}
		w.Header().Set("ETag", etag(body))
	case r.Method == http.MethodDelete:
		delete(s.objects, object)
		w.WriteHeader(http.StatusNoContent)
	default:
		content, there := s.objects[object]
		if !there {
			refuse(w, http.StatusNotFound, "NoSuchKey")
			return
		}
		w.Header().Set("ETag", etag(content))
		w.Header().Set("Last-Modified", "Sun, 01 Mar 2026 10:00:00 GMT")
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		if r.Method == http.MethodGet {
			_, _ = w.Write(content)
		}
	}
}

func etag(content []byte) string { return fmt.Sprintf("%q", fmt.Sprintf("%x", md5.Sum(content))) }

func (s *Server) list(w http.ResponseWriter, prefix string) {
	type entry struct {
		Key  string
		Size int
	}
	var found struct {
		XMLName  xml.Name `xml:"ListBucketResult"`
		Contents []entry
	}
	for name, content := range s.objects {
		if strings.HasPrefix(name, prefix) {
			found.Contents = append(found.Contents, entry{name, len(content)})
		}
	}
	_ = xml.NewEncoder(w).Encode(found)
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, `<Error><Code>%s</Code><Message>as told</Message></Error>`, code)
}

// readBody reads a body, of whose chunks each has its signature before it when it is signed in chunks.
func readBody(r *http.Request) ([]byte, error) {
	if !strings.HasPrefix(r.Header.Get("X-Amz-Content-Sha256"), "STREAMING-") {
		return io.ReadAll(r.Body)
	}
	in, body := bufio.NewReader(r.Body), []byte(nil)
	for {
		head, err := in.ReadString('\n')
		if err != nil {
			return nil, err
		}
		size, _, _ := strings.Cut(strings.TrimSpace(head), ";")
		n, err := strconv.ParseInt(size, 16, 32)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return body, nil
		}
		chunk := make([]byte, n+2) // and the end of the line
		if _, err := io.ReadFull(in, chunk); err != nil {
			return nil, err
		}
		body = append(body, chunk[:n]...)
	}
}

// checkSignature returns the code of what is wrong with the signature of a request, by version 4 of AWS's rules
// (docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html).
func checkSignature(r *http.Request) string {
	rest, ok := strings.CutPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 ")
	if !ok {
		return "AccessDenied"
	}
	fields := map[string]string{}
	for field := range strings.SplitSeq(rest, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		fields[name] = value
	}
	key, scope, _ := strings.Cut(fields["Credential"], "/")
	if key != AccessKey {
		return "InvalidAccessKeyId"
	}
	canonical := []string{r.Method, r.URL.EscapedPath(), strings.ReplaceAll(r.URL.Query().Encode(), "+", "%20")}
	for name := range strings.SplitSeq(fields["SignedHeaders"], ";") {
		value := r.Header.Get(name)
		switch name {
		case "host":
			value = r.Host
		case "content-length":
			value = strconv.FormatInt(r.ContentLength, 10)
		}
		canonical = append(canonical, name+":"+strings.TrimSpace(value))
	}
	canonical = append(canonical, "", fields["SignedHeaders"], r.Header.Get("X-Amz-Content-Sha256"))
	hashed := sha256.Sum256([]byte(strings.Join(canonical, "\n")))
	text := strings.Join([]string{
		"AWS4-HMAC-SHA256", r.Header.Get("X-Amz-Date"), scope, hex.EncodeToString(hashed[:]),
	}, "\n")
	secret := []byte("AWS4" + SecretKey)
	for part := range strings.SplitSeq(scope, "/") {
		secret = sign(secret, part)
	}
	if !hmac.Equal([]byte(hex.EncodeToString(sign(secret, text))), []byte(fields["Signature"])) {
		return "SignatureDoesNotMatch"
	}
	return ""
}

func sign(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
