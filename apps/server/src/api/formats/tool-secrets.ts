import type { JsonDocument, JsonNode, Splice } from '@svc/json'

/** Fields of an entry of `tools` or `mcp_servers` that hold secrets of its server. */
const SECRETS = ['authorization', 'authorization_token', 'headers'] as const
const HIDDEN = new TextEncoder().encode('"[hidden]"')

/** Finds the secrets of servers of tools, which traces do not keep. */
export function findToolSecrets({ root }: JsonDocument): readonly Splice[] {
  if (root.kind !== 'object') return []
  const entries = [...listEntries(root.get('tools')), ...listEntries(root.get('mcp_servers'))]
  return entries.flatMap((entry) =>
    SECRETS.flatMap((key) => {
      const node = entry.get(key)
      return node === undefined ? [] : [{ start: node.start, end: node.end, replacement: HIDDEN }]
    }),
  )
}

function listEntries(node: JsonNode | undefined): readonly JsonNode[] {
  return node?.kind === 'array' ? [...node.items()].filter(({ kind }) => kind === 'object') : []
}
