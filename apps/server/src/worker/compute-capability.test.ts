import { expect, it } from 'vitest'
import { readComputeCapability } from './compute-capability.ts'

it.each([
  ['one device', '9.0\n', '9.0'],
  ['the lowest of several, by number', '12.0\n8.9\n10.3\n', '8.9'],
  ['lines of another system', ' 7.5 \r\n8.6\r\n', '7.5'],
  ['a driver that is too old for the question', 'Field "compute_cap" is not a valid field to query.\n\n', ''],
  ['a device that does not tell', '[N/A]\n8.0\n', '8.0'],
  ['a header that was asked not to come', 'compute_cap\n8.6\n', '8.6'],
  ['a tool without a driver', "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n", ''],
  ['nothing', '', ''],
  ['no devices', 'No devices were found\n', ''],
  ['numbers that are none', '0.0\n123.4\n8\n-8.0\n8.0.1\n', ''],
])('is read from %s', async (_, text, capability) => {
  expect(await readComputeCapability(async () => text)).toBe(capability)
})

it('is not known where the tool is missing', async () => {
  expect(await readComputeCapability(() => Promise.reject(new Error('ENOENT')))).toBe('')
})
