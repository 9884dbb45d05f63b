// Sends the requests of an admin's open page, once a second, until its input ends; then prints the slowest reply in
// milliseconds. A process of its own, so that it takes no time from the client that measures.
//   node admin-page.mjs URL KEY
const [url = '', key = ''] = process.argv.slice(2)
const POLLED = [
  '/api/traces?limit=50',
  '/api/traces?limit=50&status=5xx',
  '/api/traces/summary?hours=24',
  '/api/backend-traces?limit=50',
  '/api/backend-logs',
  '/api/operations',
  '/api/pii/events?limit=50',
  '/api/router/decisions?limit=50',
  '/api/middleware/status',
  '/api/resources',
  '/api/features',
  '/system',
  '/metrics',
]

let slowest = 0
let isEnded = false
process.stdin.on('end', () => {
  isEnded = true
})
process.stdin.resume()
while (!isEnded) {
  const begun = performance.now()
  for (const path of POLLED) {
    const asked = performance.now()
    const reply = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } })
    await reply.arrayBuffer()
    if (!reply.ok) throw new Error(`${path}: ${reply.status}`)
    slowest = Math.max(slowest, performance.now() - asked)
  }
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, 1000 - (performance.now() - begun))))
}
console.log(slowest.toFixed(0))
