/** Finds the warnings about servers of tools among `code: sentence` pairs. */
export function readServerFaults(warnings: string | null): readonly string[] {
  const pairs = (warnings ?? '').split(/; (?=[a-z_]+: )/)
  return pairs.flatMap((pair) => (pair.startsWith('tool_server_failed: ') ? [pair.slice(pair.indexOf(' ') + 1)] : []))
}
