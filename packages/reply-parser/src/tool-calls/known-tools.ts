import type { KnownTool } from './tool-call.ts'

/** The function tools among the tools of a request, as the compatible format lists them. */
export function toKnownTools(tools: readonly unknown[]): readonly KnownTool[] {
  return tools.flatMap((tool) => {
    const definition = readMember(tool, 'function')
    const name = readMember(definition, 'name')
    return typeof name === 'string' ? [{ name, parameters: readMember(definition, 'parameters') }] : []
  })
}

/** Whether the schema of a tool declares a parameter as text. */
export function isTextParameter(tool: KnownTool | undefined, key: string): boolean {
  const properties = readMember(tool?.parameters, 'properties')
  return readMember(readMember(properties, key), 'type') === 'string'
}

function readMember(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
