import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { startHttpServer } from './http-server.ts'

/** A package of a registry. */
export interface RegisteredPackage {
  /** With at least a name and a version. */
  readonly manifest: { readonly name: string; readonly version: string }
  /** The path of its tarball. Without one the package can be read about, but not installed. */
  readonly tarball?: string | undefined
}

/** A registry that npm installs from. */
export interface PackageRegistry extends AsyncDisposable {
  /** Such as `http://127.0.0.1:40123`. */
  readonly url: string
  /** Names of the packages whose tarballs were fetched, in that order. */
  readonly fetched: readonly string[]
}

/** Starts a registry with one version of each package. */
export async function startPackageRegistry(packages: readonly RegisteredPackage[]): Promise<PackageRegistry> {
  const byName = new Map(packages.map((each) => [each.manifest.name, each]))
  const integrities = new Map<string, string>()
  for (const { manifest, tarball } of packages) {
    if (tarball === undefined) continue
    const digest = createHash('sha512').update(await readFile(tarball))
    integrities.set(manifest.name, `sha512-${digest.digest('base64')}`)
  }
  const fetched: string[] = []
  const server = await startHttpServer((request, response) => {
    const [path = '', isTarball] = decodeURIComponent(request.url ?? '').split('.tgz')
    const found = byName.get(path.slice(1))
    if (found === undefined) return void response.writeHead(404).end('{}')
    const { manifest, tarball } = found
    if (isTarball === undefined) {
      const dist = { tarball: `${server.origin}/${manifest.name}.tgz`, integrity: integrities.get(manifest.name) }
      const versions = { [manifest.version]: { ...manifest, dist } }
      const document = { name: manifest.name, 'dist-tags': { latest: manifest.version }, versions }
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
    }
    if (tarball === undefined) return void response.writeHead(404).end()
    fetched.push(manifest.name)
    createReadStream(tarball).pipe(response)
  })
  return { url: server.origin, fetched, [Symbol.asyncDispose]: () => server.close() }
}
