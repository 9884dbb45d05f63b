// Checks the permanent ways of running the server without an image builder: runs the commands of the Dockerfile in a
// fresh folder and a chat on the result, validates the compose file with docker-compose and the unit with systemd.
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from './child-environment.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = mkdtempSync(join(tmpdir(), 'svc-deploy-'))
// Packages with the same inputs as here are not built again.
const env = { ...childEnvironment(join(root, '.tools')), TURBO_CACHE_DIR: join(root, '.turbo/cache') }

const hasProgram = (name) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0

/** Reads the instructions of a Dockerfile, by stage; lines that end with a backslash continue. */
function readStages(text) {
  const lines = text
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
  const stages = []
  for (const line of lines) {
    const [, name = '', value = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? []
    if (name === 'FROM') stages.push([])
    stages.at(-1).push({ name, value: value.replaceAll(/\s+/g, ' ') })
  }
  return stages
}

const valuesOf = (stage, wanted) => stage.filter(({ name }) => name === wanted).map(({ value }) => value)

/** Copies the content of `COPY . .`: the files of the checkout except the files that .dockerignore names. */
function copyContext(to) {
  const ignored = readFileSync(join(root, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  const isIgnored = (path) =>
    ignored.some((rule) => (rule.startsWith('**/') ? path.split('/').includes(rule.slice(3)) : path === rule))
  const copy = (path) => {
    for (const entry of readdirSync(join(root, path), { withFileTypes: true })) {
      const inside = path === '' ? entry.name : `${path}/${entry.name}`
      if (isIgnored(inside)) continue
      if (entry.isDirectory()) copy(inside)
      else cpSync(join(root, inside), join(to, inside), { verbatimSymlinks: true })
    }
  }
  copy('')
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => probe.once('listening', resolve))
  const { port } = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  return port
}

async function checkImage() {
  const [build, image] = readStages(readFileSync(join(root, 'Dockerfile'), 'utf8'))
  const source = join(folder, 'src')
  const app = join(folder, 'app')
  const inFolder = (text) => text.replaceAll(/(?<![\w.])\/(src|app)(?![\w-])/g, `${folder}/$1`)
  copyContext(source)
  for (const command of valuesOf(build, 'RUN')) {
    console.log(`RUN ${command}`)
    execFileSync('sh', ['-ec', inFolder(command)], { cwd: source, env, stdio: ['ignore', 'inherit', 'inherit'] })
  }
  const [copied] = valuesOf(image, 'COPY')
  assert.equal(copied, '--from=build /app /opt/svc')
  rmSync(source, { recursive: true })
  assert.deepEqual(
    readdirSync(join(app, 'node_modules/.pnpm')).filter((name) =>
      /^(vitest|vite|turbo|tsup|@biomejs|react)/.test(name),
    ),
    [],
  )

  const settings = Object.fromEntries(
    valuesOf(image, 'ENV').flatMap((line) => line.split(' ').map((pair) => pair.split('='))),
  )
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  for (const [name, value] of Object.entries(settings)) {
    if (!value.startsWith('/')) continue
    settings[name] = join(folder, 'root', value)
    mkdirSync(settings[name], { recursive: true })
  }
  assert.equal(settings.SVC_ADDRESS, '0.0.0.0:8080')
  assert.match(valuesOf(image, 'RUN').join(), /ln -s \/opt\/svc\/dist\/main\.js \/usr\/local\/bin\/svc/)
  assert.deepEqual([valuesOf(image, 'ENTRYPOINT'), valuesOf(image, 'CMD')], [['["svc"]'], ['["run"]']])
  const server = spawn(process.execPath, [join(app, 'dist/main.js'), 'run'], {
    cwd: settings.SVC_DATA_PATH,
    env: { PATH: process.env.PATH, HOME: folder, ...settings, SVC_ADDRESS: `127.0.0.1:${port}` },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const ended = new Promise((resolve) => server.once('exit', (code) => resolve(code)))
  try {
    const [health] = valuesOf(image, 'HEALTHCHECK')
    const check = JSON.parse(health.slice(health.indexOf('[')).replace('127.0.0.1:8080', `127.0.0.1:${port}`))
    const isHealthy = () => spawnSync(process.execPath, check.slice(1)).status === 0
    for (let attempt = 0; attempt < 100 && !isHealthy(); attempt++) {
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    assert.equal(isHealthy(), true, 'the health check of the image passes')
    const body = JSON.stringify({ model: 'demo', max_tokens: 4, messages: [{ role: 'user', content: 'Hello!' }] })
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
    const answer = await reply.json()
    assert.equal(reply.status, 200, JSON.stringify(answer))
    assert.notEqual(answer.choices[0].message.content, '')
    assert.match((await (await fetch(`${url}/version`)).json()).version, /\((?!0{7})[0-9a-f]{7}\)$/)
    assert.equal((await fetch(`${url}/swagger/swagger-ui-bundle.js`)).status, 200)
    const page = await (await fetch(`${url}/app`)).text()
    const [, script] = /<script type="module"[^>]* src="\.\/(assets\/[^"]+)"/.exec(page) ?? []
    const file = await fetch(`${url}/${script}`, { headers: { 'accept-encoding': 'br' } })
    assert.deepEqual([file.status, file.headers.get('content-encoding')], [200, 'br'], script)
  } finally {
    server.kill('SIGTERM')
  }
  assert.equal(await ended, 0)
  assert.equal(existsSync(join(settings.SVC_DATA_PATH, 'database.db')), true)
}

function checkCompose() {
  if (!hasProgram('docker-compose')) return console.log('compose.yaml was not checked: docker-compose is not installed')
  const text = execFileSync('docker-compose', ['-f', join(root, 'compose.yaml'), 'config'], { encoding: 'utf8' })
  const [, image] = readStages(readFileSync(join(root, 'Dockerfile'), 'utf8'))
  const [volumes] = valuesOf(image, 'VOLUME')
  for (const volume of JSON.parse(volumes)) assert.ok(text.includes(`:${volume}:rw`) || text.includes(`:${volume}\n`))
  assert.ok(text.includes('127.0.0.1:8080:8080') || /host_ip: 127\.0\.0\.1/.test(text))
  console.log('compose.yaml is read by docker-compose')
}

function checkCluster() {
  const keys = join(folder, 'keys')
  execFileSync(process.execPath, [join(root, 'apps/server/dist/main.js'), 'cluster', 'keys', keys])
  if (hasProgram('docker-compose')) {
    const file = join(root, 'deploy/cluster/compose.yaml')
    const argv = ['-f', file, '--env-file', join(keys, 'cluster.env'), 'config']
    const text = execFileSync('docker-compose', argv, { encoding: 'utf8' })
    assert.match(text, /SVC_AUTH_DATABASE_URL: postgres:\/\/svc:[\w-]{32}@postgres:5432\/svc/)
    console.log('deploy/cluster/compose.yaml is read by docker-compose')
  }
  if (!hasProgram('helm')) return console.log('the chart was not rendered: helm is not installed')
  const chart = join(root, 'deploy/cluster/chart')
  const helm = (...argv) => execFileSync('helm', [...argv, '--kube-version', '1.31.0'], { encoding: 'utf8' })
  const kinds = (text) => [...text.matchAll(/^kind: (\w+)$/gm)].map(([, kind]) => kind).sort()
  const most = ['Deployment', 'PodDisruptionBudget', 'PodDisruptionBudget', 'Service', 'Service', 'StatefulSet']
  assert.deepEqual(kinds(helm('template', 'svc', chart, '--set', 'networkPolicy.enabled=false')), most)
  const all = helm('template', 'svc', chart, '--set', 'nats.caConfigMap=ca,modelsClaim=models')
  assert.deepEqual(kinds(all), [...most, 'NetworkPolicy', 'NetworkPolicy'].sort())
  console.log('the chart is rendered by helm')
}

function checkUnit() {
  if (!hasProgram('systemd-analyze')) return console.log('svc.service was not checked: systemd is not installed')
  const unit = readFileSync(join(root, 'deploy/svc.service'), 'utf8')
  assert.match(unit, /^ExecStart=\/usr\/local\/bin\/svc run$/m)
  // The check needs an existing program: here it is in another place.
  const file = join(folder, 'svc.service')
  writeFileSync(file, unit.replace('/usr/local/bin/svc', join(root, 'apps/server/dist/main.js')))
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })
  const about = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('svc.service'))
  assert.deepEqual(about, [])
  assert.equal(status, 0, stderr)
  console.log('svc.service is read by systemd')
}

try {
  checkCompose()
  checkUnit()
  checkCluster()
  await checkImage()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
