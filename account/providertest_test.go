package account

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// testProvider is an OpenID provider: it signs in whoever says says, and lies as a test tells it to.
type testProvider struct {
	*httptest.Server

	t    *testing.T
	key  *rsa.PrivateKey
	mu   sync.Mutex
	says map[string]any // claims of whoever signs in next, over those that are right
	// forge changes the finished token.
	forge func(header, payload string) string
	codes map[string]asked // each works once
	asked int              // how often a code was to be turned into a token
	// spent is the token of the code before, for who replays it.
	spent  string
	replay bool
}

// asked is what a client asked for.
type asked struct{ nonce, challenge string }

func newTestProvider(t *testing.T) *testProvider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	p := &testProvider{t: t, key: key, codes: map[string]asked{}, says: map[string]any{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.describe)
	mux.HandleFunc("GET /keys", p.keys)
	mux.HandleFunc("POST /token", p.token)
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

func (p *testProvider) answer(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}

func (p *testProvider) describe(w http.ResponseWriter, _ *http.Request) {
	p.answer(w, map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token",
		"jwks_uri": p.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256"},
	})
}

func (p *testProvider) keys(w http.ResponseWriter, _ *http.Request) {
	encode := base64.RawURLEncoding.EncodeToString
	p.answer(w, map[string]any{"keys": []any{map[string]any{
		"kty": "RSA", "kid": "a", "alg": "RS256", "use": "sig",
		"n": encode(p.key.N.Bytes()), "e": encode(big.NewInt(int64(p.key.E)).Bytes()),
	}}})
}

// authorize returns where the browser is sent after somebody signed in.
func (p *testProvider) authorize(address string) *url.URL {
	p.t.Helper()
	at, err := url.Parse(address)
	require.NoError(p.t, err)
	require.Equal(p.t, p.URL+"/authorize", at.Scheme+"://"+at.Host+at.Path)
	given := at.Query()
	require.Equal(p.t, "S256", given.Get("code_challenge_method"))
	require.Equal(p.t, "code", given.Get("response_type"))
	p.mu.Lock()
	defer p.mu.Unlock()
	code := fmt.Sprintf("code-%d", len(p.codes))
	p.codes[code] = asked{given.Get("nonce"), given.Get("code_challenge")}
	back, err := url.Parse(given.Get("redirect_uri"))
	require.NoError(p.t, err)
	back.RawQuery = url.Values{"code": {code}, "state": {given.Get("state")}}.Encode()
	return back
}

func (p *testProvider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	at, known := p.codes[r.FormValue("code")]
	verifier := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if !known || base64.RawURLEncoding.EncodeToString(verifier[:]) != at.challenge {
		w.WriteHeader(http.StatusBadRequest)
		p.answer(w, map[string]any{"error": "invalid_grant"})
		return
	}
	p.codes[r.FormValue("code")] = asked{} // used
	token := p.spent
	if !p.replay {
		token = p.sign(at.nonce)
		p.spent = token
	}
	p.answer(w, map[string]any{"access_token": "x", "token_type": "Bearer", "id_token": token})
}

func (p *testProvider) sign(nonce string) string {
	claims := map[string]any{
		"iss": p.URL, "aud": "svc", "sub": "1", "nonce": nonce, "email": "new@acme.test", "email_verified": true,
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(), "groups": []string{"staff"}, "name": "New",
	}
	for name, value := range p.says {
		claims[name] = value
	}
	payload, err := json.Marshal(claims)
	require.NoError(p.t, err)
	encode := base64.RawURLEncoding.EncodeToString
	header, body := encode([]byte(`{"alg":"RS256","kid":"a"}`)), encode(payload)
	if p.forge != nil {
		return p.forge(header, body)
	}
	return p.signWith(p.key, header, body)
}

func (p *testProvider) signWith(key *rsa.PrivateKey, header, body string) string {
	sum := sha256.Sum256([]byte(header + "." + body))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	require.NoError(p.t, err)
	return header + "." + body + "." + base64.RawURLEncoding.EncodeToString(signature)
}
