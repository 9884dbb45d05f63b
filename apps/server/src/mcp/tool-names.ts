/** Maximum characters of a name for the model. */
const MAX_NAME = 64

/** Gives the name of a tool for the model: 1..64 characters of `[A-Za-z0-9_-]`. */
export function toModelName(prefix: string, tool: string): string {
  return `${prefix}${tool}`.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_NAME)
}
