import { Html } from "./Html.ts"

/** How the pages look: a card in the middle, light or dark as the person's system is, usable on a phone. */
export const style = new Html(`
:root {
  --page: #f3f1ed; --card: #ffffff; --ink: #1d1b19; --soft: #5f5a53; --line: #e0dbd3; --edge: #8a8378;
  --accent: #2f5d50; --on-accent: #ffffff; --alarm: #9d2b1e; --alarm-soft: #fbeae7; --hint: #eaf2ee;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #171614; --card: #22201d; --ink: #f1eee9; --soft: #b8b1a7; --line: #3b3732; --edge: #857d72;
    --accent: #8fcab7; --on-accent: #10211c; --alarm: #f5aca2; --alarm-soft: #3a2320; --hint: #1e2c27;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; padding: 1.5rem 1rem; display: flex; flex-direction: column; align-items: center;
  justify-content: center; gap: 1.25rem; background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere;
}
.brand { display: flex; align-items: center; gap: .5rem; font-weight: 650; letter-spacing: .01em; }
.brand svg { width: 1.5rem; height: 1.5rem; color: var(--accent); }
main {
  width: 100%; max-width: 27rem; padding: 2rem; background: var(--card);
  border: 1px solid var(--line); border-radius: 1rem; box-shadow: 0 1px 3px rgb(0 0 0 / 8%);
}
h1 { margin: 0 0 .75rem; font-size: 1.375rem; line-height: 1.3; }
h2 { margin: 0 0 .25rem; font-size: 1.0625rem; line-height: 1.4; }
p { margin: 0 0 1rem; }
main > :last-child { margin-bottom: 0; }
a { color: var(--accent); text-underline-offset: .15em; }
.soft, dl { color: var(--soft); font-size: .9375rem; }
.soft strong, .person strong { color: var(--ink); }
.note, .alarm { padding: .75rem 1rem; border-radius: .625rem; font-size: .9375rem; }
.note { background: var(--hint); }
.alarm { background: var(--alarm-soft); color: var(--alarm); }
label { display: block; margin: 1rem 0 .25rem; font-weight: 600; font-size: .9375rem; }
input[type=text], input[type=password] {
  width: 100%; min-height: 2.75rem; padding: .6rem .8rem; font: inherit; color: inherit; background: var(--page);
  border: 1px solid var(--edge); border-radius: .625rem;
}
input[aria-invalid=true] { border-color: var(--alarm); }
.person {
  display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: .25rem 1rem;
  margin: 0 0 1rem; padding: .625rem 1rem; border: 1px solid var(--line); border-radius: .625rem; font-size: .9375rem;
}
.person p { margin: 0; color: var(--soft); }
fieldset { margin: 0; padding: 0; border: 0; min-width: 0; }
legend { padding: 0; margin: 0 0 1rem; }
ul { margin: 0 0 1.25rem; padding: 0; list-style: none; border: 1px solid var(--line); border-radius: .625rem; }
li { padding: .6rem 1rem .6rem 2.5rem; position: relative; }
li + li { border-top: 1px solid var(--line); }
li::before { content: "✓"; content: "✓" / ""; position: absolute; left: 1rem; color: var(--accent); font-weight: 700; }
.choice li { padding: 0; }
.choice li::before { content: none; }
.choice label { display: flex; gap: .75rem; margin: 0; padding: .6rem 1rem; font-weight: 400; font-size: 1rem; cursor: pointer; }
.choice input { flex: none; width: 1.125rem; height: 1.125rem; margin: .2rem 0 0; accent-color: var(--accent); }
.apps > section { padding: 1.25rem 0; border-top: 1px solid var(--line); }
.apps > :last-child { padding-bottom: 0; }
.apps ul { border: 0; margin-bottom: .75rem; }
.apps li { padding: .1rem 0 .1rem 1.5rem; border: 0; font-size: .9375rem; }
.apps li::before { left: 0; }
dl { display: grid; grid-template-columns: auto 1fr; gap: 0 .75rem; margin: 0 0 1rem; }
dt::after { content: ":"; }
dd { margin: 0; color: var(--ink); }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem; }
button, .button {
  flex: 1 1 8rem; min-height: 2.75rem; padding: .6rem 1rem; font: inherit; font-weight: 600; line-height: 1.4; text-align: center;
  text-decoration: none; cursor: pointer; border: 1px solid var(--edge); border-radius: .625rem; background: transparent; color: inherit;
}
button:hover, .button:hover { background: var(--hint); }
button.primary, .button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.danger { background: var(--alarm); border-color: var(--alarm); color: var(--card); }
button.primary:hover, .button.primary:hover, button.danger:hover { filter: brightness(1.08); }
.apps .button { display: inline-block; min-height: 2.5rem; padding: .45rem 1rem; font-size: .9375rem; }
button.link {
  flex: none; min-height: 1.5rem; padding: 0; border: 0; border-radius: .25rem; background: none; font-weight: 400;
  font-size: .9375rem; color: var(--accent); text-decoration: underline; text-underline-offset: .15em;
}
.code { white-space: nowrap; font-family: ui-monospace, Menlo, Consolas, monospace; letter-spacing: .06em; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.below { margin: 1.25rem 0 0; text-align: center; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
@media (max-width: 30rem) {
  body { justify-content: flex-start; padding: 1rem .75rem; gap: 1rem; }
  main { padding: 1.5rem 1.25rem; }
}
`)
