/** A JSON reply of a plain handler. */
export function json(value: unknown, options: { status?: number; headers?: Record<string, string> } = {}): Response {
  return new Response(JSON.stringify(value), {
    status: options.status ?? 200,
    headers: { 'content-type': 'application/json', ...options.headers },
  })
}
