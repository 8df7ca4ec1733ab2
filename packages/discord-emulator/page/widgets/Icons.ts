import { type TemplateResult, html, svg } from "lit"

const icon = (shape: TemplateResult<2>): TemplateResult =>
  html`<svg
    class="icon"
    viewBox="0 0 24 24"
    aria-hidden="true"
    fill="none"
    stroke="currentColor"
    stroke-width="2"
    stroke-linecap="round"
    stroke-linejoin="round"
  >
    ${shape}
  </svg>`

/** The page's drawings; each button that shows one also has a name in words. */
export const icons = {
  logo: svgLogo(),
  hash: icon(svg`<path d="M10 4 8 20M16 4l-2 16M4.5 9h16M3.5 15h16" />`),
  thread: icon(svg`<path d="M5 4v9a3 3 0 0 0 3 3h11M15 12l4 4-4 4" />`),
  forum: icon(svg`<path d="M4 5h16v10H10l-4 4v-4H4zM8 9h8" />`),
  lock: icon(svg`<rect x="5" y="11" width="14" height="9" rx="2" /><path d="M8 11V8a4 4 0 0 1 8 0v3" />`),
  menu: icon(svg`<path d="M4 6h16M4 12h16M4 18h16" />`),
  close: icon(svg`<path d="m6 6 12 12M18 6 6 18" />`),
  plus: icon(svg`<path d="M12 5v14M5 12h14" />`),
  send: icon(svg`<path d="M4 12 20 4l-5 16-3.5-6.5z" />`),
  edit: icon(svg`<path d="M4 20l1-4L16 5l3 3L8 19zM14 7l3 3" />`),
  trash: icon(svg`<path d="M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5" />`),
  reply: icon(svg`<path d="M9 7 4 12l5 5M4 12h9a7 7 0 0 1 7 7" />`),
  smile: icon(svg`<circle cx="12" cy="12" r="8.5" /><path d="M8.5 14a4 4 0 0 0 7 0M9 9.5v.5M15 9.5v.5" />`),
  down: icon(svg`<path d="M12 5v14M6 13l6 6 6-6" />`),
  chevron: icon(svg`<path d="m7 10 5 5 5-5" />`),
  file: icon(svg`<path d="M6 3h8l5 5v13H6zM14 3v5h5" />`),
  download: icon(svg`<path d="M12 4v11M7 11l5 5 5-5M5 20h14" />`),
  out: icon(svg`<path d="M9 5H5v14h14v-4M13 5h6v6M19 5l-9 9" />`),
  eye: icon(svg`<path d="M3 12s3.5-6 9-6 9 6 9 6-3.5 6-9 6-9-6-9-6z" /><circle cx="12" cy="12" r="2.5" />`),
  warning: icon(svg`<path d="M12 4 2.8 19.5h18.4zM12 10v4M12 17v.2" />`),
  sun: icon(
    svg`<circle cx="12" cy="12" r="4" /><path d="M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M5.6 18.4 7 17M17 7l1.4-1.4" />`
  ),
  moon: icon(svg`<path d="M20 14.5A8 8 0 0 1 9.5 4 8 8 0 1 0 20 14.5z" />`),
  system: icon(svg`<rect x="3" y="5" width="18" height="12" rx="2" /><path d="M9 20h6" />`),
  slash: icon(svg`<rect x="4" y="4" width="16" height="16" rx="4" /><path d="m13.5 8-3 8" />`),
  more: icon(svg`<path d="M5 12h.01M12 12h.01M19 12h.01" stroke-width="3" />`),
  copy: icon(svg`<rect x="8" y="8" width="12" height="12" rx="2" /><path d="M16 8V4H4v12h4" />`),
  people: icon(
    svg`<circle cx="9" cy="8" r="3.5" /><path d="M3 20a6 6 0 0 1 12 0M16 4.8a3.5 3.5 0 0 1 0 6.4M18 14.5a6 6 0 0 1 3 5.5" />`
  ),
  megaphone: icon(svg`<path d="M4 10v4h3l9 5V5l-9 5zM19 9.5a4 4 0 0 1 0 5" />`),
  mention: icon(svg`<circle cx="12" cy="12" r="4" /><path d="M16 12v1.5a2.5 2.5 0 0 0 5 0V12a9 9 0 1 0-3.5 7" />`),
  check: icon(svg`<path d="m5 12.5 4.5 4.5L19 7.5" />`)
} as const

function svgLogo(): TemplateResult {
  return html`<img class="logo" src="/page/assets/icon.svg" alt="" width="32" height="32" />`
}
