/**
 * The thread in which Flite speaks one text. A second instance in one thread may end the whole process, so each text has
 * a thread of its own; ending it is also how a call is cancelled. Its files are in memory. Plain JavaScript, because it
 * starts from the sources and from the build alike.
 *
 * @module
 */
import { parentPort, workerData } from 'node:worker_threads'
import { File, OpenFile, PreopenDirectory, WASI } from '@bjorn3/browser_wasi_shim'

/** @type {import('./speak-text.ts').FliteJob & { readonly module: WebAssembly.Module }} */
const { module, voice, text, stretch } = workerData

// The text is given as a file: in an argument, it could be taken for an option.
const folder = new Map([['in.txt', new File(new TextEncoder().encode(text))]])
const standard = [0, 1, 2].map(() => new OpenFile(new File([])))
const wasi = new WASI(
  ['flite', '-voice', voice, '--setf', `duration_stretch=${stretch}`, '-f', '/d/in.txt', '-o', '/d/out.wav'],
  [],
  [...standard, new PreopenDirectory('/d', folder)],
  { debug: false },
)
const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport })
const code = wasi.start(/** @type {Parameters<typeof wasi.start>[0]} */ (instance))
const wav = folder.get('out.wav')?.data
parentPort?.postMessage(code === 0 && wav !== undefined ? wav : `the engine ended with code ${code}`)
