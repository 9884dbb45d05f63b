import { describe, expect, it } from 'vitest'
import { analyzeText } from '../analyze.ts'
import { createDetector } from '../create-detector.ts'

const detector = createDetector({ name: 'd', settings: { builtins: ['all'] } })

async function find(text: string): Promise<string[]> {
  const { spans, scanned } = await analyzeText(text, { detectors: [detector] })
  return spans.map(({ group, start, end }) => `${group} ${scanned.slice(start, end)}`)
}

describe('a value that markup breaks is found whole', () => {
  it.each([
    ['<p>4111 <b>1111</b> 1111 1111</p>', 'CREDITCARD 4111 <b>1111</b> 1111 1111'],
    ['4111&nbsp;1111&#160;1111&nbsp;1111', 'CREDITCARD 4111&nbsp;1111&#160;1111&nbsp;1111'],
    ['4111 **1111** 1111 1111', 'CREDITCARD 4111 **1111** 1111 1111'],
    ['DE89<wbr>3704<wbr>0044<wbr>0532<wbr>0130<wbr>00', 'IBAN DE89<wbr>3704<wbr>0044<wbr>0532<wbr>0130<wbr>00'],
    ['ada@<span class="x">lab</span>.example', 'EMAIL ada@<span class="x">lab</span>.example'],
    ['+49 <i>30</i> 1234567', 'PHONE +49 <i>30</i> 1234567'],
    ['DE89 3704 0044=\r\n 0532 0130 00', 'IBAN DE89 3704 0044=\r\n 0532 0130 00'],
    ['DE89 3704 0044 =\r\n0532 0130 00', 'IBAN DE89 3704 0044 =\r\n0532 0130 00'],
    ['jane.doe@longcompany.<wbr>example', 'EMAIL jane.doe@longcompany.<wbr>example'],
    ['jane.b<wbr>.doe-longname@lab.example', 'EMAIL jane.b<wbr>.doe-longname@lab.example'],
    ['ada.byron@lab-one.exam=\nple', 'EMAIL ada.byron@lab-one.exam=\nple'],
    ['SSN 078-<em>05</em>-1120', 'US_SSN 078-<em>05</em>-1120'],
  ])('%s', async (text, expected) => {
    expect(await find(text)).toEqual([expected])
    const filler = 'a <b>b</b> c&nbsp;d '.repeat(2000)
    expect(await find(`${filler}${text} ${filler}`)).toEqual([expected])
  })
})

describe('a value that a line end breaks is found whole', () => {
  it.each([
    ['IBAN:\nDE89 3704 0044\r\n   0532 0130 00', 'IBAN DE89 3704 0044\r\n   0532 0130 00'],
    ['> DE89 3704 0044\n> 0532 0130 00', 'IBAN DE89 3704 0044\n> 0532 0130 00'],
    ['paid by 4111 1111\n1111 1111 today', 'CREDITCARD 4111 1111\n1111 1111'],
    ['paid by 4111-1111-1111\r\n1111', 'CREDITCARD 4111-1111-1111\r\n1111'],
    ['write to +1 415 555\n2671', 'PHONE +1 415 555\n2671'],
    ['or +49 30\n  1234567 now', 'PHONE +49 30\n  1234567'],
  ])('%j', async (text, expected) => {
    expect(await find(text)).toEqual([expected])
  })

  it.each(['1234 4111 1111\n1111 1111', '4111 1111\n1111 1111 1234', '+49 30 1234567\n2024 x'])(
    'of a table or of two lines is not: %j',
    async (text) => {
      expect((await find(text)).join()).not.toContain('\n')
    },
  )
})

it.each(['<td>4111 1111</td><td>1111 1111</td>', '<p>4111 1111</p><p>1111 1111</p>', '<b>411</b> x <b>1111</b>'])(
  'values of several cells are not one: %s',
  async (text) => {
    expect(await find(text)).toEqual([])
  },
)
