"use strict";
// Uses a set-up link through GraphQL: completeSetup for somebody new, otherwise
// signIn and acceptInvitation; or declineInvitation. The token is read from the
// address, never stored, and leaves the address when it is used.
(() => {
  const form = document.getElementById("setup");
  const submit = document.getElementById("submit");
  const decline = document.getElementById("decline");
  const problem = document.getElementById("problem");
  const password = document.getElementById("password");
  const show = document.getElementById("show");
  const inputs = [...form.querySelectorAll("input[id]")];
  const accepts = form.dataset.kind === "accept";
  const token = new URLSearchParams(location.search).get("token");
  let signedIn = false;

  const access = "workspace { id name } role capabilities";
  const operations = {
    viewer: "query Viewer { viewer { email } }",
    completeSetup: `mutation CompleteSetup($input: CompleteSetupInput!) { completeSetup(input: $input) { email workspaces(first: 1) { nodes { ${access} } } } }`,
    signIn: "mutation SignIn($email: String!, $password: String!, $code: String) { signIn(input: {email: $email, password: $password, code: $code}) { email } }",
    acceptInvitation: `mutation Accept($token: String!) { acceptInvitation(input: {token: $token}) { ${access} } }`,
    declineInvitation: "mutation Decline($token: String!) { declineInvitation(input: {token: $token}) }",
  };

  // ask runs an operation and returns its field, or throws what a person can read.
  async function ask(name, variables) {
    let response;
    try {
      response = await fetch("/graphql", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ query: operations[name], variables }),
      });
    } catch {
      throw new Error("The server does not answer. Check the connection and try again.");
    }
    const answer = await response.json().catch(() => ({}));
    const error = answer.errors && answer.errors[0];
    if (error) {
      const extensions = error.extensions || {};
      throw Object.assign(new Error(sentence(error.message)), { field: extensions.field, code: extensions.code });
    }
    if (!answer.data) throw new Error(`The server answered ${response.status}. Try again in a moment.`);
    return answer.data[name];
  }

  // sentence takes the name of the field off a message.
  function sentence(message) {
    const text = message.replace(/^[\w.]+: /, "");
    return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
  }

  function mark(input, message) {
    document.getElementById(`${input.id}-problem`).textContent = message;
    if (message) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  }

  function tell(message) {
    problem.textContent = message;
    problem.hidden = !message;
    if (message) problem.focus();
  }

  // whatIsWrong says what a person can do about it.
  function whatIsWrong(input) {
    const state = input.validity;
    if (state.valueMissing && input.id === "code") return "Enter a code.";
    if (state.valueMissing) return input.id === "email" ? "Enter your email." : accepts ? "Enter your password." : "Choose a password.";
    if (state.typeMismatch) return "Enter an email such as you@example.com.";
    if (input.id === "password" && !accepts && [...input.value].length < 8) return "Use at least 8 characters.";
    return "";
  }

  // check marks what is wrong and returns whether nothing is.
  function check() {
    const asked = inputs.filter((input) => !input.closest("[hidden]"));
    let first = null;
    for (const input of asked) {
      const message = whatIsWrong(input);
      mark(input, message);
      if (message && !first) first = input;
    }
    if (first) first.focus();
    return !first;
  }

  function given() {
    const values = { token };
    for (const input of inputs) if (input.value.trim() !== "") values[input.name] = input.id === "password" ? input.value : input.value.trim();
    return values;
  }

  function setSignedIn(value) {
    signedIn = value;
    for (const part of document.querySelectorAll("[data-signed-in]")) part.hidden = !value;
    for (const part of document.querySelectorAll("[data-signed-out]")) part.hidden = value;
  }

  async function enter() {
    if (!accepts) {
      const person = await ask("completeSetup", { input: given() });
      return { email: person.email, access: person.workspaces.nodes[0] };
    }
    const email = form.elements.username.value;
    if (!signedIn) {
      const second = document.getElementById("second");
      const code = second.hidden ? null : form.elements.code.value;
      await ask("signIn", { email, password: password.value, code }).catch((error) => {
        if (error.code === "second_factor_required") {
          second.hidden = false;
          throw Object.assign(new Error("Enter a code."), { field: "code" });
        }
        if (error.code !== "unauthenticated") throw error;
        throw Object.assign(new Error(code ? "Wrong code, or one that was used." : "Wrong password."), { field: code ? "code" : "password" });
      });
      setSignedIn(true);
    }
    return { email, access: await ask("acceptInvitation", { token }) };
  }

  // leave shows another part of the page in the form's place.
  function leave(part, title) {
    history.replaceState(null, "", location.pathname);
    document.getElementById("form-view").hidden = true;
    document.getElementById(`${part}-view`).hidden = false;
    form.reset();
    const heading = document.getElementById(`${part}-title`);
    document.title = `${title} – Svc`;
    heading.focus();
  }

  // welcome goes on in the dashboard, or says what else there is on a server without one.
  function welcome({ email, access: { workspace, role, capabilities } }) {
    if (form.dataset.next) return location.replace(form.dataset.next);
    const values = { email, role: role.toLowerCase(), workspaceName: workspace.name, workspaceId: workspace.id };
    for (const place of document.querySelectorAll("[data-fill]")) {
      const value = values[place.dataset.fill] || "";
      // In the commands values stand between single quotes.
      place.textContent = place.closest("pre") ? value.replaceAll("'", "'\\''") : value;
    }
    for (const step of document.querySelectorAll("[data-needs]")) step.hidden = !capabilities.includes(step.dataset.needs);
    leave("done", "You are signed in");
  }

  function report(error) {
    const input = inputs.find((candidate) => candidate.name === String(error.field).split(".").pop());
    if (!input || input.closest("[hidden]")) return tell(error.message);
    mark(input, error.message);
    input.focus();
  }

  // send runs one action at a time.
  async function send(action) {
    tell("");
    submit.disabled = true;
    if (decline) decline.disabled = true;
    try {
      await action();
    } catch (error) {
      report(error);
    } finally {
      submit.disabled = false;
      if (decline) decline.disabled = false;
    }
  }

  show.addEventListener("click", () => {
    const visible = password.type === "password";
    password.type = visible ? "text" : "password";
    show.setAttribute("aria-pressed", String(visible));
    show.textContent = visible ? "Hide" : "Show";
  });
  for (const input of inputs) input.addEventListener("input", () => mark(input, ""));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (check()) send(async () => welcome(await enter()));
  });
  if (decline) decline.addEventListener("click", () => {
    if (!confirm("Decline the invitation? Its link stops working.")) return;
    send(async () => {
      await ask("declineInvitation", { token });
      leave("declined", "You declined");
    });
  });

  async function start() {
    if (accepts) {
      const viewer = await ask("viewer").catch(() => null);
      setSignedIn(Boolean(viewer) && viewer.email === form.elements.username.value);
    }
    submit.disabled = false;
    if (decline) decline.disabled = false;
  }
  start();
})();
