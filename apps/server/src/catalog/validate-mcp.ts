import type { ModelKeys } from './keys/model-keys.ts'
import type { KeyNote } from './keys/read-field.ts'
import { MAX_SERVERS, type McpServerSettings, readMcpText } from './mcp-settings.ts'
import type { YamlMap } from './yaml/node.ts'

/** Takes the sentences about the texts. */
export interface McpReport {
  /** The file is refused. */
  problem(note: KeyNote): void
  /** The file is used without the key. */
  warning(note: KeyNote): void
}

const TEXTS = ['remote', 'stdio'] as const

/** Reports the problems of the texts in the `mcp` block, with their lines in the file. */
export function checkMcpTexts(keys: Pick<ModelKeys, 'mcp'>, root: YamlMap, report: McpReport): void {
  const servers: McpServerSettings[] = []
  for (const kind of TEXTS) {
    const text = keys.mcp?.[kind]
    if (text === undefined || text.trim() === '') continue
    const reading = readMcpText(kind, text)
    const place = (note: KeyNote): KeyNote => ({
      ...note,
      key: note.key === '' ? `mcp.${kind}` : `mcp.${kind}.${note.key}`,
      line: toFileLine(root, kind, note.line),
    })
    for (const note of reading.problems) report.problem(place(note))
    for (const note of reading.warnings) report.warning(place(note))
    for (const { name } of reading.servers) {
      if (!servers.some((server) => server.name === name)) continue
      report.warning(
        place({ line: 0, key: `mcpServers.${name}`, reason: 'has the name of a remote server, which is used' }),
      )
    }
    servers.push(...reading.servers)
  }
  if (servers.length <= MAX_SERVERS) return
  report.problem({ line: toFileLine(root, 'remote', 0), key: 'mcp', reason: `names more than ${MAX_SERVERS} servers` })
}

/** Line in the file of a line in one of the texts. The text of a block scalar begins one line below its key. */
function toFileLine(root: YamlMap, kind: string, line: number): number {
  const block = root.entries.get('mcp')
  const entry = block?.value.kind === 'map' ? block.value.entries.get(kind) : undefined
  if (entry === undefined) return block?.line ?? root.line
  const { value } = entry
  const isBlock = value.kind === 'scalar' && !value.plain && value.text.includes('\n')
  return isBlock ? value.line + line : value.line
}
