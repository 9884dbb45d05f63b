import { defineRoute, type Route } from '../http/route.ts'

const FAVICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1d4ed8"/><path d="M8 10h16M8 16h10M8 22h13" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>`

function page(version: string, base: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>svc</title>
<link rel="icon" href="${base}favicon.svg">
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 4rem auto; padding: 0 1rem; color: #1f2937; background: #fff }
code { background: #f3f4f6; border-radius: 4px; padding: .1rem .3rem }
pre { background: #f3f4f6; border-radius: 8px; padding: 1rem; overflow-x: auto }
@media (prefers-color-scheme: dark) { body { color: #e5e7eb; background: #111827 } code, pre { background: #1f2937 } a { color: #93c5fd } }
</style>
</head>
<body>
<h1>svc is running</h1>
<p>A self-hosted model server, version ${version}. This version has no web interface yet; it speaks the chat-completions format.</p>
<pre><code>curl ${base}v1/chat/completions -H 'Content-Type: application/json' \\
  -d '{"model": "demo", "messages": [{"role": "user", "content": "Hello"}]}'</code></pre>
<ul>
<li><a href="${base}swagger/index.html">API documentation</a> (<a href="${base}swagger/doc.json">OpenAPI 3.1</a>)</li>
<li><a href="${base}api/instructions">Instructions</a> for programs, <a href="${base}.well-known/service.json">discovery document</a></li>
<li><a href="${base}v1/models">Models</a>, <a href="${base}system">loaded models</a>, <a href="${base}metrics">metrics</a></li>
</ul>
</body>
</html>
`
}

/** Where a text may stand in a page. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}

const PAGES = ['/app', '/app/*', '/browse', '/browse/*', '/login', '/invite/:code', '/explorer'] as const

const common = { method: 'GET', access: 'none', family: 'compatible', tag: 'pages' } as const

/** What a browser sees until the web interface is there; `root`: at `/` too. */
export function homeRoutes(version: string, { root }: { readonly root: boolean }): Route[] {
  const [first, ...others] = root ? (['/', ...PAGES] as const) : PAGES
  return [
    defineRoute({
      ...common,
      path: first,
      aliases: others,
      summary: 'A page that says what runs here',
      responses: { 200: { description: 'The page.', contentType: 'text/html' } },
      handler: (call) =>
        new Response(page(version, escapeHtml(call.baseUrl)), {
          headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' },
        }),
    }),
    defineRoute({
      ...common,
      path: '/favicon.svg',
      summary: 'The icon',
      responses: { 200: { description: 'The icon.', contentType: 'image/svg+xml' } },
      handler: () =>
        new Response(FAVICON, {
          headers: { 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=3600' },
        }),
    }),
  ]
}
