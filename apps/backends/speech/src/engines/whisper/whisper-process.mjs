/**
 * The process in which a Whisper file runs.
 *
 * @module
 */
import { openPackage, serveEngine } from '../child/serve-engine.mjs'

/** @typedef {import('./protocol.ts').WhisperPart} WhisperPart */
/** @typedef {typeof import('@napi-rs/whisper')} Package */

/** Turns of the event loop in which the parts of a finished call arrive; one is the rule. */
const MAX_TURNS = 1000
/** Entries of a vocabulary that are not languages; a multilingual one has one more. */
const OTHER_ENTRIES = 51_765

/** @type {{ whisper: Package, model: import('@napi-rs/whisper').Whisper } | undefined} */
let loaded

serveEngine({
  load: async (settings) => {
    const { file } = /** @type {import('./protocol.ts').WhisperLoad} */ (settings)
    const whisper = await openPackage('@napi-rs/whisper', async () => (await import('@napi-rs/whisper')).default)
    const model = new whisper.Whisper(file, { useGpu: false })
    loaded = { whisper, model }
    return { languages: listLanguages(whisper, model) }
  },
  call: async (request) => {
    if (loaded === undefined) throw new Error('no model is loaded')
    return await transcribe(loaded, /** @type {import('./protocol.ts').WhisperCall} */ (request))
  },
})

/**
 * @param {Package} whisper
 * @param {import('@napi-rs/whisper').Whisper} model
 * @returns {string[]}
 */
function listLanguages({ Whisper }, model) {
  if (!model.isMultilingual) return ['en']
  const count = Math.min(model.modelNVocab - OTHER_ENTRIES - 1, Whisper.maxLangId() + 1)
  return Array.from({ length: count }, (_, id) => Whisper.lang(id) ?? '').filter((code) => code !== '')
}

/**
 * @param {NonNullable<typeof loaded>} engine
 * @param {import('./protocol.ts').WhisperCall} call
 * @returns {Promise<import('./protocol.ts').WhisperResult>}
 */
async function transcribe({ whisper, model }, call) {
  const params = new whisper.WhisperFullParams(whisper.WhisperSamplingStrategy.Greedy)
  params.nThreads = call.threads
  params.language = call.language ?? 'auto'
  params.translate = call.translate
  params.temperature = call.temperature
  // nothing of another call
  params.noContext = true
  params.printProgress = false
  params.printRealtime = false
  params.printTimestamps = false
  if (call.prompt !== '') params.initialPrompt = call.prompt
  if (call.audioContext > 0) params.audioCtx = call.audioContext
  if (call.words) {
    params.tokenTimestamps = true
    params.maxLen = 1
    params.splitOnWord = true
  }
  /** @type {WhisperPart[]} */
  const parts = []
  params.onNewSegment = ({ text, start, end }) => void parts.push({ text, start, end })
  const text = model.full(params, call.samples)
  await receiveAll(parts, text)
  const language = call.language ?? (model.isMultilingual ? whisper.Whisper.lang(model.fullLangId) : 'en')
  return { parts, language: language ?? '' }
}

/**
 * Waits for the parts, which the engine delivers in later turns of the event loop.
 *
 * @param {readonly WhisperPart[]} parts
 * @param {string} text
 */
async function receiveAll(parts, text) {
  const wanted = countLetters(text)
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    await new Promise((resolve) => void setImmediate(resolve))
    if (parts.reduce((sum, part) => sum + countLetters(part.text), 0) >= wanted) return
  }
  throw new Error('the engine did not deliver its segments')
}

/** @param {string} text */
function countLetters(text) {
  return text.replace(/\s/g, '').length
}
