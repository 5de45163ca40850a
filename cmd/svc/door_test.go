package main

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svc-dev/svc/account"
	"github.com/svc-dev/svc/postgres/pgtest"
)

func TestTheLinkOfADevServerSignsIn(t *testing.T) {
	db := pgtest.New(t)
	accounts := account.New(db.Ent(), db.Pool, account.Options{})
	admin := devAdmin{Email: "admin@svc.localhost", Password: "correct horse battery"}
	_, err := accounts.Bootstrap(t.Context(), admin.Email, admin.Password, "Demo")
	require.NoError(t, err)
	d := newDoor(admin)
	mux := http.NewServeMux()
	d.register(mux, accounts)
	open := func(target string) *http.Response {
		recorder := httptest.NewRecorder()
		mux.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, target, nil))
		return recorder.Result()
	}

	welcome := open(d.link(""))
	require.Equal(t, http.StatusSeeOther, welcome.StatusCode)
	require.Equal(t, "/", welcome.Header.Get("Location"))
	require.NotEmpty(t, welcome.Cookies())
	require.Equal(t, account.CookieName, welcome.Cookies()[0].Name)

	for _, target := range []string{doorPath, doorPath + "?token=", doorPath + "?token=guess", newDoor(admin).link("")} {
		refused := open(target)
		require.Equal(t, "/sign-in", refused.Header.Get("Location"), target)
		require.Empty(t, refused.Cookies(), target)
	}
}
