import { strToU8, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { extractText } from '../extract/extract-text.ts'
import { openZip } from './open-zip.ts'
import { readBinary } from './read-binary.ts'

const { signal } = new AbortController()
const latin = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0))
const zip = (parts: Readonly<Record<string, string>>): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])))
const read = async (bytes: Uint8Array, name: string) => (await extractText(bytes, { name, readBinary, signal })).text
const relations = (...list: readonly (readonly [id: string, type: string, target: string])[]) =>
  `<Relationships>${list.map(([id, type, target]) => `<Relationship Id="${id}" Type="http://x/${type}" Target="${target}"/>`).join('')}</Relationships>`

const WORD = {
  '_rels/.rels': relations(['r1', 'officeDocument', '/word/document.xml']),
  'word/_rels/document.xml.rels': relations(['r1', 'styles', 'styles.xml'], ['r2', 'footnotes', 'footnotes.xml']),
  'word/styles.xml': '<w:styles><w:style w:styleId="Titre2"><w:name w:val="heading 2"/></w:style></w:styles>',
  'word/footnotes.xml': '<w:footnotes><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnotes>',
  'word/document.xml': `<?xml version="1.0"?><w:document><w:body>
    <w:p><w:pPr><w:pStyle w:val="Titre2"/></w:pPr><w:r><w:t>Rivers</w:t></w:r></w:p>
    <w:p><w:r><w:t xml:space="preserve">The Nile </w:t></w:r><w:r><w:t>&amp; others</w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>
    <w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>Rhine</w:t></w:r></w:p>
    <w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
  </w:body></w:document>`,
}
const BOOK = {
  mimetype: 'application/epub+zip',
  'META-INF/container.xml': '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
  'OPS/book.opf': `<package><manifest>
    <item id="two" href="c%202.xhtml" media-type="application/xhtml+xml"/><item id="one" href="c1.xhtml" media-type="application/xhtml+xml"/>
    </manifest><spine><itemref idref="one"/><itemref idref="two"/></spine></package>`,
  'OPS/c1.xhtml': '<html><h1>One</h1><p>First&nbsp;chapter</p></html>',
  'OPS/c 2.xhtml': '<html><p>Second</p></html>',
}

/** A PDF of one page with lines of text. Readers find its objects without a table. */
function pdf(lines: readonly string[], more = ''): Uint8Array {
  const content = `BT /F1 12 Tf 72 720 Td ${lines.map((line) => `(${line}) Tj 0 -14 Td`).join(' ')} ET`
  return latin(`%PDF-1.4
1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>> endobj
4 0 obj <</Length ${content.length}>> stream
${content}
endstream endobj
5 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica>> endobj
trailer <</Root 1 0 R${more}>>
%%EOF`)
}

describe('binary documents', () => {
  it('are read with their headings, lists, tables and notes', async () => {
    expect(await read(zip(WORD), 'a.docx')).toBe('## Rivers\n\nThe Nile & others\n\n- Rhine\n\na | b\n\nA note.')
    expect(await read(zip(WORD), 'without an extension')).toContain('Rivers')
    expect(await read(zip(BOOK), 'a.epub')).toBe('# One\n\nFirst chapter\n\nSecond')
    const odt = `<office:document-content><office:text><text:h text:outline-level="3">Tea</text:h>
      <text:list><text:list-item><text:p>green<text:s text:c="2"/>leaf</text:p></text:list-item></text:list>
      <table:table table:name="T"><table:table-row><table:table-cell><text:p>1</text:p></table:table-cell><table:table-cell><text:p>2</text:p></table:table-cell></table:table-row></table:table></office:text></office:document-content>`
    expect(await read(zip({ 'content.xml': odt }), 'a.odt')).toBe('### Tea\n\n- green leaf\n\n# T\n\n1 | 2')
    const slides = {
      '_rels/.rels': relations(['r1', 'officeDocument', 'ppt/presentation.xml']),
      'ppt/presentation.xml': '<p:p><p:sldId r:id="r2" id="256"/><p:sldId id="257" r:id="r1"/></p:p>',
      'ppt/_rels/presentation.xml.rels': relations(['r1', 'slide', 'slides/a.xml'], ['r2', 'slide', 'slides/b.xml']),
      'ppt/slides/a.xml': '<s><p:txBody><a:p><a:t>Second</a:t></a:p></p:txBody></s>',
      'ppt/slides/b.xml': '<s><p:txBody><a:p><a:t>First</a:t></a:p><a:p><a:t>slide</a:t></a:p></p:txBody></s>',
    }
    expect(await read(zip(slides), 'a.pptx')).toBe('First\nslide\n\nSecond')
    const book = {
      'xl/workbook.xml': '<workbook><sheets><sheet name="Prices" sheetId="1" r:id="r1"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels': relations(['r1', 'worksheet', 'sheet.xml'], ['r2', 'sharedStrings', 'strings.xml']),
      'xl/strings.xml': '<sst><si><t>te</t><r><t>a</t></r></si><si><t>bread</t></si></sst>',
      'xl/sheet.xml':
        '<w><row><c t="s"><v>0</v></c><c><f>1+1</f><v>2</v></c></row><row><c t="s"><v>1</v></c><c t="inlineStr"><is><t>own</t></is></c><c t="b"><v>1</v></c></row></w>',
    }
    expect(await read(zip(book), 'a.xlsx')).toBe('# Prices\n\ntea | 2\nbread | own | true')
    const rtf = String.raw`{\rtf1\ansi\ansicpg1251{\fonttbl{\f0 Arial;}}{\*\generator x;}Caf\u233?s\par \'cf\'f0\'e8\'e2\'e5\'f2 \{ok\} ${'\xcf'}\tab{\pict\bin4 }{}}}`
    expect(await read(latin(rtf), 'a.rtf')).toBe('Cafés\n\nПривет {ok} П')
    expect(await read(pdf(['Hello', 'world']), 'a.pdf')).toBe('Hello\nworld')
    expect(await read(pdf(['Hello']), 'named.txt')).toBe('Hello')
    // The bytes decide, whatever the name says.
    expect(await read(latin('A plain text.'), 'bad.pdf')).toBe('A plain text.')
  })

  it('are refused with the reason when they are damaged, encrypted or empty', async () => {
    const cases: readonly (readonly [Uint8Array, string, RegExp])[] = [
      [zip(WORD).subarray(0, -30), 'a.docx', /damaged: its end is missing/],
      [zip({ 'word/other.xml': '' }), 'a.docx', /damaged: it has no part 'word\/document.xml'/],
      [zip({ ...WORD, 'word/document.xml': '<w:document/>', 'word/footnotes.xml': '<w/>' }), 'a.docx', /has no text/],
      [zip({ 'content.xml': '<!DOCTYPE x [<!ENTITY a "aaaa">]><x>&a;</x>' }), 'a.odt', /declares entities/],
      [zip({ 'content.xml': '<x/>', 'META-INF/manifest.xml': '<m><encryption-data/></m>' }), 'a.odt', /is encrypted/],
      [
        zip({ ...BOOK, 'META-INF/encryption.xml': '<e><CipherReference URI="OPS/c1.xhtml"/></e>' }),
        'a.epub',
        /encrypted/,
      ],
      [zip({ 'content.xml': '<a>'.repeat(1001) }), 'a.odt', /nested elements/],
      [latin(`{\\rtf1${'{'.repeat(1001)}`), 'a.rtf', /nested groups/],
      [pdf([]), 'a.pdf', /the PDF has no text/],
      [latin('%PDF-1.7 rubbish'), 'a.pdf', /the PDF is damaged/],
    ]
    for (const [bytes, name, message] of cases) {
      const code = /nested/u.test(message.source) ? 'document_limit' : 'invalid_document'
      await expect(read(bytes, name), String(message)).rejects.toMatchObject({
        code,
        message: expect.stringMatching(message),
      })
    }
    const encrypted = zip(WORD)
    // The flag of the last part in the directory.
    const directory = encrypted.findLastIndex(
      (_, at) => at > 0 && latin('PK\x01\x02').every((byte, i) => encrypted[at + i] === byte),
    )
    encrypted[directory + 8] = 1
    await expect(read(encrypted, 'a.docx')).rejects.toMatchObject({ message: 'the document is encrypted' })
  })

  it('unpack no more than their bounds', async () => {
    const bomb = zipSync({ one: new Uint8Array(3_000_000), two: new Uint8Array(3_000_000) })
    expect(bomb.length).toBeLessThan(10_000)
    const archive = openZip(bomb, { maxUnpackedBytes: 5_000_000 })
    const unpack = (name: string) => [...archive.read(name)].reduce((sum, { length }) => sum + length, 0)
    expect(unpack('one')).toBe(3_000_000)
    expect(() => unpack('two')).toThrow(/unpacks to more than 5000000 bytes/)
    const empty = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`${index}`, new Uint8Array()]))
    const many = zipSync(empty, { level: 0 })
    await expect(read(many, 'a.docx')).rejects.toMatchObject({ code: 'document_limit', message: /10000 parts/ })
  })

  it('never fail in another way, whatever byte is wrong', async () => {
    for (const [source, name] of [
      [zip(WORD), 'a.docx'],
      [zip(BOOK), 'a.epub'],
    ] as const) {
      for (let at = 4; at < source.length; at += 13) {
        const broken = source.slice()
        broken[at] = (broken[at] ?? 0) ^ 0xff
        const failure = await read(broken, name).catch((error: unknown) => error)
        if (typeof failure !== 'string') expect(failure, `byte ${at}`).toMatchObject({ name: 'DocumentError' })
      }
    }
  })
})
