import type { ModelConfig } from '../catalog/model-config.ts'

const NO_SERVERS = /^\s*(?:\{\s*)?(?:["']?mcpServers["']?\s*:\s*(?:\{\s*\}|null|~)?\s*)?\}?\s*$/

/** Whether the file of a model names servers; does not read the texts. */
export function hasModelServers({ mcp }: Pick<ModelConfig, 'mcp'>): boolean {
  return (['remote', 'stdio'] as const).some((kind) => !NO_SERVERS.test(mcp[kind] ?? ''))
}
