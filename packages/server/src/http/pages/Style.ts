import { Html } from "./Html.ts"

/** How the pages look: a card in the middle, light or dark as the person's system is, usable on a phone. */
export const style = new Html(`
:root {
  --page: #f3f1ed; --card: #ffffff; --ink: #1d1b19; --soft: #635e57; --line: #ddd8d0;
  --accent: #2f5d50; --on-accent: #ffffff; --alarm: #9d2b1e; --alarm-soft: #fbeae7; --hint: #eef4f1;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #171614; --card: #22201d; --ink: #f1eee9; --soft: #b1aaa0; --line: #3b3732;
    --accent: #8fcab7; --on-accent: #10211c; --alarm: #f2a196; --alarm-soft: #3a2320; --hint: #1f2b27;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem 1rem;
  background: var(--page); color: var(--ink); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
main {
  width: 100%; max-width: 26rem; padding: 2rem; background: var(--card);
  border: 1px solid var(--line); border-radius: 1rem; box-shadow: 0 1px 3px rgb(0 0 0 / 8%);
}
h1 { margin: 0 0 .5rem; font-size: 1.375rem; line-height: 1.3; overflow-wrap: anywhere; }
p { margin: 0 0 1rem; overflow-wrap: anywhere; }
.soft { color: var(--soft); font-size: .9375rem; }
.note { padding: .75rem 1rem; border-radius: .625rem; background: var(--hint); font-size: .9375rem; }
.alarm { padding: .75rem 1rem; border-radius: .625rem; background: var(--alarm-soft); color: var(--alarm); }
label { display: block; margin: 1rem 0 .25rem; font-weight: 600; font-size: .9375rem; }
input[type=text], input[type=password] {
  width: 100%; padding: .7rem .8rem; font: inherit; color: inherit; background: var(--page);
  border: 1px solid var(--line); border-radius: .625rem;
}
ul { margin: 0 0 1.25rem; padding: 0; list-style: none; border: 1px solid var(--line); border-radius: .625rem; }
li { padding: .7rem 1rem .7rem 2.25rem; position: relative; }
li + li { border-top: 1px solid var(--line); }
li::before { content: "✓"; position: absolute; left: 1rem; color: var(--accent); font-weight: 700; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem; }
button {
  flex: 1 1 8rem; padding: .75rem 1rem; font: inherit; font-weight: 600; cursor: pointer;
  border: 1px solid var(--line); border-radius: .625rem; background: transparent; color: inherit;
}
button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.link {
  flex: none; padding: 0; border: 0; font-weight: 400; font-size: .9375rem; color: var(--soft); text-decoration: underline;
}
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`)
