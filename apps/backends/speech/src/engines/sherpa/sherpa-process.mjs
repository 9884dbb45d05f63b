/**
 * The process in which a model of sherpa-onnx runs. Models are opened by the asynchronous factories: the others end the
 * process on a damaged file.
 *
 * @module
 */
import { createRequire } from 'node:module'
import { openPackage, serveEngine } from '../child/serve-engine.mjs'

/** @typedef {import('./protocol.ts').SherpaLoad} SherpaLoad */
/** @typedef {import('./protocol.ts').SherpaCall} SherpaCall */
/** @typedef {{ samples: Float32Array, sampleRate: number }} Waveform */
/** @typedef {{ text: string, tokens?: string[], timestamps?: number[], lang?: string }} Heard */
/**
 * @typedef {object} Recogniser
 * @property {() => { acceptWaveform(wave: Waveform): void }} createStream
 * @property {(stream: object) => Promise<Heard>} decodeAsync
 */
/**
 * @typedef {object} Voice
 * @property {number} sampleRate
 * @property {number} numSpeakers
 * @property {(request: { text: string, sid: number, speed: number, enableExternalBuffer: boolean }) => Promise<Waveform>} generateAsync
 */
/**
 * @typedef {object} Diarizer
 * @property {(samples: Float32Array) => { start: number, end: number, speaker: number }[]} process
 * @property {(config: object) => void} setConfig
 */
/**
 * @typedef {object} Sherpa
 * @property {{ createAsync(config: object): Promise<Voice> }} OfflineTts
 * @property {{ createAsync(config: object): Promise<Recogniser> }} OfflineRecognizer
 * @property {new (config: object) => Diarizer} OfflineSpeakerDiarization
 */

const RATE = 16_000
const load = createRequire(import.meta.url)

/** @type {{ config: object, voice?: Voice, recogniser?: Recogniser, diarizer?: Diarizer }} */
const model = { config: {} }

serveEngine({
  load: async (settings) => {
    const { kind, config } = /** @type {SherpaLoad} */ (settings)
    /** @type {Sherpa} */
    const sherpa = await openPackage('sherpa-onnx-node', async () => load('sherpa-onnx-node'))
    model.config = config
    if (kind === 'recogniser') {
      model.recogniser = await sherpa.OfflineRecognizer.createAsync(config)
      return undefined
    }
    if (kind === 'diarizer') {
      model.diarizer = new sherpa.OfflineSpeakerDiarization(config)
      return undefined
    }
    model.voice = await sherpa.OfflineTts.createAsync(config)
    return { sampleRate: model.voice.sampleRate, speakers: model.voice.numSpeakers }
  },
  call: async (request) => {
    const call = /** @type {SherpaCall} */ (request)
    if (call.kind === 'speak') return await speak(call)
    return call.kind === 'transcribe' ? await transcribe(call.samples) : diarize(call)
  },
})

/** @param {Extract<SherpaCall, { kind: 'speak' }>} call */
async function speak({ text, speaker, speed }) {
  if (model.voice === undefined) throw new Error('no voice is loaded')
  // The samples go to another process, for which a buffer of the engine cannot be used.
  const { samples } = await model.voice.generateAsync({ text, sid: speaker, speed, enableExternalBuffer: false })
  return { samples }
}

/** @param {Float32Array} samples */
async function transcribe(samples) {
  if (model.recogniser === undefined) throw new Error('no recogniser is loaded')
  const stream = model.recogniser.createStream()
  stream.acceptWaveform({ sampleRate: RATE, samples })
  const { text, tokens = [], timestamps = [], lang = '' } = await model.recogniser.decodeAsync(stream)
  return { text, tokens, timestamps, language: lang.replace(/[<>|]/g, '') }
}

/** @param {Extract<SherpaCall, { kind: 'diarize' }>} call */
function diarize({ samples, clustering }) {
  if (model.diarizer === undefined) throw new Error('no diarization is loaded')
  model.diarizer.setConfig({ ...model.config, clustering })
  return model.diarizer.process(samples)
}
