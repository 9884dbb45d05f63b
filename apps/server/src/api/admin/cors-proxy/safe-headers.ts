/** Headers of a reply that pass. Cookies, CORS, HSTS and everything that acts on the browser's state stay behind. */
const PASSED =
  /^(content-type|content-language|content-disposition|cache-control|etag|expires|last-modified|retry-after|mcp-[a-z-]+)$/

/** Types that a browser may run script of. */
const ACTIVE = /html|xml|svg|javascript|ecmascript|x-mixed-replace|pdf/i

/**
 * Gives the headers of a reply from elsewhere that is served under this server's origin: nothing in it runs, loads or
 * frames, whatever it says of itself (threats CORS-1).
 */
export function toSafeHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const passed = Object.fromEntries(Object.entries(headers).filter(([name]) => PASSED.test(name)))
  const type = headers['content-type'] ?? 'application/octet-stream'
  return {
    ...passed,
    'content-type': type,
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    ...(ACTIVE.test(type) ? { 'content-disposition': 'attachment' } : {}),
  }
}
