"use strict";
// Completes a set-up link through the GraphQL mutation completeSetup. The token
// is read from the address, never stored, and leaves the address when it is used.
(() => {
  const form = document.getElementById("setup");
  const submit = document.getElementById("submit");
  const problem = document.getElementById("problem");
  const password = document.getElementById("password");
  const show = document.getElementById("show");
  const inputs = [...form.querySelectorAll("input[id]")];

  const mutation = `mutation CompleteSetup($input: SetupInput!) {
    completeSetup(input: $input) { email workspaces(first: 1) { nodes { workspace { id name } } } }
  }`;

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
    if (state.valueMissing) return input.id === "email" ? "Enter your e-mail." : "Choose a password.";
    if (state.typeMismatch) return "Enter an e-mail such as you@example.com.";
    if (input.id === "password" && [...input.value].length < 8) return "Use at least 8 characters.";
    return "";
  }

  async function complete(input) {
    let response;
    try {
      response = await fetch("/graphql", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ query: mutation, variables: { input } }),
      });
    } catch {
      throw new Error("The server does not answer. Check the connection and try again.");
    }
    const answer = await response.json().catch(() => ({}));
    if (answer.data && answer.data.completeSetup) return answer.data.completeSetup;
    const error = answer.errors && answer.errors[0];
    if (!error) throw new Error(`The server answered ${response.status}. Try again in a moment.`);
    throw Object.assign(new Error(error.message), { field: error.extensions && error.extensions.field });
  }

  function welcome(person) {
    const [access] = person.workspaces.nodes;
    const workspace = access ? access.workspace : null;
    const values = { email: person.email, workspaceName: workspace && workspace.name, workspaceId: workspace && workspace.id };
    for (const place of document.querySelectorAll("[data-fill]")) {
      const value = values[place.dataset.fill] || "";
      // In the commands values stand between single quotes.
      place.textContent = place.closest("pre") ? value.replaceAll("'", "'\\''") : value;
    }
    if (!workspace) for (const part of document.querySelectorAll("[data-workspace]")) part.hidden = true;
    history.replaceState(null, "", location.pathname);
    document.title = "You are signed in – Svc";
    document.getElementById("form-view").hidden = true;
    document.getElementById("done-view").hidden = false;
    form.reset();
    document.getElementById("done-title").focus();
  }

  show.addEventListener("click", () => {
    const visible = password.type === "password";
    password.type = visible ? "text" : "password";
    show.setAttribute("aria-pressed", String(visible));
    show.textContent = visible ? "Hide" : "Show";
  });
  for (const input of inputs) input.addEventListener("input", () => mark(input, ""));

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    tell("");
    let first = null;
    for (const input of inputs) {
      const message = whatIsWrong(input);
      mark(input, message);
      if (message && !first) first = input;
    }
    if (first) {
      first.focus();
      return;
    }
    const given = { token: new URLSearchParams(location.search).get("token") };
    for (const input of inputs) if (input.value.trim() !== "") given[input.name] = input.id === "password" ? input.value : input.value.trim();
    submit.disabled = true;
    try {
      welcome(await complete(given));
    } catch (error) {
      const input = inputs.find((candidate) => candidate.name === String(error.field).split(".").pop());
      if (input) {
        mark(input, error.message.replace(/^[\w.]+: /, ""));
        input.focus();
      } else {
        tell(error.message.replace(/^token: this/, "This"));
      }
    } finally {
      submit.disabled = false;
    }
  });
  submit.disabled = false;
})();
