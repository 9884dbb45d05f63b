// An upstream in the compatible format and an MCP server in one process, both as cheap as possible. The model calls the
// tool until the conversation has three results, and then answers.
import { createServer } from 'node:http'

const CALLS = 3
const call = {
  id: 'call_1',
  type: 'function',
  function: { name: 'look', arguments: '{"place":"here"}' },
}
const toReply = (message, finish_reason) =>
  JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason, logprobs: null }],
    usage: { prompt_tokens: 40, completion_tokens: 7, total_tokens: 47 },
  })
const CALLING = toReply({ content: null, tool_calls: [call] }, 'tool_calls')
const DONE = toReply({ content: 'It is warm and dry.' }, 'stop')
const TOOL = {
  name: 'look',
  description: 'Looks at a place',
  inputSchema: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
}

function answerRpc({ method, params }) {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'bench', version: '1' },
      }
    case 'tools/list':
      return { tools: [TOOL] }
    case 'tools/call':
      return { content: [{ type: 'text', text: 'warm and dry' }] }
    default:
      return {}
  }
}

function answer(path, text) {
  if (path !== '/mcp') return (text.match(/"role":"tool"/g)?.length ?? 0) < CALLS ? CALLING : DONE
  const message = JSON.parse(text)
  return message.id === undefined ? '' : JSON.stringify({ jsonrpc: '2.0', id: message.id, result: answerRpc(message) })
}

createServer((request, response) => {
  if (request.method !== 'POST') {
    response.writeHead(request.url === '/' ? 200 : 405).end()
    return
  }
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const body = answer(request.url, Buffer.concat(chunks).toString())
    response.writeHead(body === '' ? 202 : 200, { 'content-type': 'application/json' }).end(body)
  })
}).listen(Number(process.argv[2]), '127.0.0.1')
