/** Malformed arguments go on as they are: a client would run the tool with an invented input. */
export function toInput(json: string): Record<string, unknown> {
  if (json.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(json)
    if (isRecord(value)) return value
  } catch {
    // cut off, or never JSON
  }
  return { raw: json }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
