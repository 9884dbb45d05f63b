import { PNG } from '../../src/inference/media/__fixtures__/samples.ts'
import { EVERY_USECASE, VERDICT } from './inference-routes.ts'
import { SAVED_ID, writeSavedState } from './saved-state.ts'
import type { TestServer } from './server.ts'

const messages = [{ role: 'user', content: 'Hello there' }]

/** A body for each inference route; a route without one fails the test. */
export const ROUTE_BODIES: Readonly<Record<string, object>> = {
  '/v1/chat/completions': { messages },
  // Without tools no server of a model is needed.
  '/v1/mcp/chat/completions': { messages, tool_choice: 'none' },
  '/v1/completions': { prompt: 'Hello there' },
  '/v1/edits': { instruction: 'Shorten', input: 'Hello there' },
  '/v1/embeddings': { input: 'Hello there' },
  '/v1/moderations': { input: 'Hello there' },
  '/v1/messages': { messages, max_tokens: 100 },
  '/v1/messages/count_tokens': { messages },
  '/v1/responses': { input: 'Hello there' },
  '/v1/responses/input_tokens': { input: 'Hello there' },
  '/api/chat': { messages },
  '/api/generate': { prompt: 'Hello there' },
  '/api/embed': { input: 'Hello there' },
  '/api/embeddings': { prompt: 'Hello there' },
  '/v1/rerank': { query: 'Hello', documents: ['one', 'two'] },
  '/v1/tokenize': { content: 'Hello there' },
  '/v1/detokenize': { tokens: [1, 2, 3] },
  '/stores/set': { keys: [[1, 0]], values: ['east'] },
  '/stores/get': { keys: [[1, 0]] },
  '/stores/find': { key: [1, 0], topk: 1 },
  '/stores/delete': { keys: [[1, 0]] },
  '/v1/images/generations': { prompt: 'A red square' },
  '/v1/video/generations': { prompt: 'A red square' },
  // The mock finds nothing that it is as sure of.
  '/v1/detection': { image: PNG.toString('base64'), threshold: 1 },
  '/v1/audio/speech': { input: 'Hello there' },
  '/v1/text-to-speech/:voice_id': { text: 'Hello there' },
  '/v1/text-to-speech/:voice_id/stream': { text: 'Hello there' },
  '/v1/sound-generation': { text: 'rain' },
  '/v1/audio/vad': { audio: [0, 0.5] },
  '/api/score': { prompt: 'Hello', candidates: ['one', 'two'] },
  '/v1/slots/save': { slot: 0 },
  '/v1/slots/restore': { slot: 0, id: SAVED_ID },
}

/** Names the model of a request as its route does. The name of no model is a store of its own at `/stores/*`. */
export function nameModel(path: string, model: string): object {
  return path.startsWith('/stores/') ? { store: model } : { model }
}

/** A model that serves every route, with figures that are the same in every format. */
export async function modelForAllRoutes(server: TestServer, name = 'm'): Promise<void> {
  const figures = { promptTokens: 5, completionTokens: 3 }
  await server.model(
    name,
    {
      rules: [
        { rpc: 'Predict*', contains: 'harassment', do: { text: VERDICT, ...figures } },
        { rpc: 'Predict*', do: { text: 'one two three', ...figures } },
      ],
    },
    { known_usecases: EVERY_USECASE, slot_save_path: 'slots' },
  )
  await writeSavedState(server.modelsPath, name)
}
