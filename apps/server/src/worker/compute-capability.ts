import { execFile } from 'node:child_process'
import { access } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

const TIMEOUT_MS = 2000
const MAX_DEVICES = 64

/**
 * Reads the compute capability of the graphics devices from the driver's tool, such as `9.0`: the lowest, which code for
 * all devices must keep to. Empty where there is no such device and where the tool does not tell.
 *
 * @param query prints one capability on each line. @default nvidia-smi
 */
export async function readComputeCapability(query: () => Promise<string> = queryNvidia): Promise<string> {
  const found = parseCapabilities(await query().catch(() => ''))
  return found.sort((left, right) => left.major - right.major || left.minor - right.minor)[0]?.text ?? ''
}

function parseCapabilities(text: string) {
  return text
    .split('\n', MAX_DEVICES)
    .flatMap((line) => {
      const [found, major, minor] = /^\s*(\d{1,2})\.(\d{1,2})\s*$/.exec(line) ?? []
      return found === undefined ? [] : [{ text: found.trim(), major: Number(major), minor: Number(minor) }]
    })
    .filter(({ major }) => major > 0)
}

async function queryNvidia(): Promise<string> {
  await access('/dev/nvidiactl')
  const args = ['--query-gpu=compute_cap', '--format=csv,noheader,nounits']
  const { stdout } = await run('nvidia-smi', args, { timeout: TIMEOUT_MS, maxBuffer: 65_536 })
  return stdout
}
