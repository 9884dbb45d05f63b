import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { packWeb } from '../../src/api/web/pack-web.ts'

/** The page of a built interface. */
export const INDEX = `<!doctype html>
<html lang="en">
<head>
<base href="/">
<meta charset="utf-8">
<script src="./static/theme.js"></script>
<script type="module" src="./assets/index-D4fX9aB2.js"></script>
</head>
<body><div id="root">the shell</div></body>
</html>
`

/** Files of a built interface by their paths. */
export const WEB_FILES: Readonly<Record<string, string>> = {
  'index.html': INDEX,
  'favicon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'assets/index-D4fX9aB2.js': `export const text = ${JSON.stringify('a line of the program\n'.repeat(200))}\n`,
  'assets/index-D4fX9aB2.js.map': '{}',
  'assets/index-Ck3_-x9Q.css': `${'.row { color: var(--text) }\n'.repeat(100)}`,
  'assets/inter-AbCdEfGh.woff2': 'a font',
  'locales/de/chat-Zz019aXb.json': JSON.stringify({ send: 'Senden' }),
  'locales/de/plain.json': JSON.stringify({ send: 'Senden' }),
  'static/theme.js': "document.documentElement.dataset.theme = 'dark'\n",
}

/** Writes files and packs them as the build does. @returns the packed folder */
export async function packFixture(
  folder: string,
  files: Readonly<Record<string, string>> = WEB_FILES,
): Promise<string> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, 'built', name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
  const packed = join(folder, 'packed')
  await packWeb({ from: join(folder, 'built'), to: packed })
  return packed
}
