import { type AssistantTool, defineTool } from '../../src/assistant/tool.ts'
import type { ToolContent } from '../../src/inference/tools/server-tools.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='

const image: ToolContent = { type: 'image', data: PNG, mediaType: 'image/png' }
const text = (value: string): ToolContent => ({ type: 'text', text: value })
const resource = (fields: Readonly<Record<string, string>>): ToolContent => ({
  type: 'other',
  json: JSON.stringify({ type: 'resource', resource: fields }),
})

function answers(name: string, ...content: readonly ToolContent[]): AssistantTool {
  return defineTool({ name, title: name, description: name, routes: ['GET /version'], run: async () => ({ content }) })
}

function runs(name: string, run: AssistantTool['run']): AssistantTool {
  return defineTool({ name, title: name, description: name, routes: ['GET /version'], run })
}

/** The tools that the conformance suite of the protocol calls. */
export const SUITE_TOOLS: readonly AssistantTool[] = [
  answers('test_simple_text', text('This is a simple text response for testing.')),
  answers('test_image_content', image),
  answers('test_audio_content', { type: 'audio', data: WAV, mediaType: 'audio/wav' }),
  answers(
    'test_embedded_resource',
    resource({
      uri: 'test://embedded-resource',
      mimeType: 'text/plain',
      text: 'This is an embedded resource content.',
    }),
  ),
  answers(
    'test_multiple_content_types',
    text('Multiple content types test:'),
    image,
    resource({
      uri: 'test://mixed-content-resource',
      mimeType: 'application/json',
      text: '{"test":"data","value":123}',
    }),
  ),
  runs('test_error_handling', async () => {
    throw new Error('This tool intentionally returns an error for testing')
  }),
  runs('test_tool_with_logging', async (_, { log, sleep }) => {
    for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      log(line)
      await sleep(50)
    }
    return { text: 'logged' }
  }),
  runs('test_tool_with_progress', async (_, { progress, sleep }) => {
    for (const done of [0, 50, 100]) {
      progress(`Completed step ${done} of 100`, { done, total: 100 })
      await sleep(50)
    }
    return { text: 'done' }
  }),
  runs('test_reconnection', async (_, { closeStream, sleep }) => {
    closeStream?.()
    await sleep(100)
    return { text: 'Reconnection test completed successfully.' }
  }),
]
