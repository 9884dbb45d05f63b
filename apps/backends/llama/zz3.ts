import { startRuntime } from './src/engine/runtime.ts'
const rt = await startRuntime({ warn: () => {}, error: () => {} })
const m = await rt.llama.loadModel({ modelPath: process.argv[2]!, gpuLayers: 0, useMmap: true, ignoreMemorySafetyChecks: true })
const c = await m.createContext({ contextSize: 1024, sequences: 1, batchSize: 512, threads: 1, ignoreMemorySafetyChecks: true })
const s = c.getSequence()
for (let round = 0; round < 2; round++) for (const chunk of [1, 4, 8, 16, 32, 64, 128, 512]) {
  const n = Math.min(512, chunk * 32); let worst = 0
  const cpu0 = process.cpuUsage(), t = performance.now()
  for (let i = 0; i < n; i += chunk) { const u = performance.now(); await s.evaluateWithoutGeneratingNewTokens(Array(chunk).fill(5)); worst = Math.max(worst, performance.now() - u) }
  const cpu = process.cpuUsage(cpu0).user / 1000
  console.log({ chunk, cpuTokPerS: +(n / cpu * 1000).toFixed(0), wallTokPerS: +(n / (performance.now() - t) * 1000).toFixed(0), cpuMsPerChunk: +(cpu / (n / chunk)).toFixed(1), worst: +worst.toFixed(0) })
  await s.clearHistory()
}
process.exit(0)
