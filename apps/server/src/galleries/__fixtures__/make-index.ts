/** An index of the published size and style: anchors, explicit merge tags, block texts. */
export function makeModelIndex(entries: number): string {
  const lines = ['---']
  for (let index = 0; index < entries; index += 1) {
    const isFamily = index % 5 === 0
    lines.push(isFamily ? `- &family${index}` : `- !!merge <<: *family${index - (index % 5)}`)
    lines.push(`  name: "model-${index}"`)
    if (isFamily) {
      lines.push('  license: apache-2.0', '  tags:', '    - llm', '    - gguf', '    - cpu', `    - family-${index}`)
      lines.push('  icon: https://example.com/icon.png', '  url: "github:owner/repo/chatml.yaml@master"')
    }
    lines.push('  urls:', `    - https://example.com/models/${index}`, '  description: |')
    for (let line = 0; line < 8; line += 1) {
      lines.push(`    Line ${line} of the description of model ${index}: weights [in brackets], {braces} and "quotes".`)
    }
    lines.push('  overrides:', '    backend: llama-cpp', '    parameters:', `      model: model-${index}.Q4_K_M.gguf`)
    lines.push('  files:', `    - filename: model-${index}.Q4_K_M.gguf`, `      sha256: ${'0123456789abcdef'.repeat(4)}`)
    lines.push(`      uri: huggingface://owner/repo-${index}/model-${index}.Q4_K_M.gguf`)
  }
  return `${lines.join('\n')}\n`
}

/** The same for backends: concrete entries inherit the capabilities of their meta entry. */
export function makeBackendIndex(entries: number): string {
  const lines: string[] = []
  for (let index = 0; index < entries; index += 1) {
    if (index % 10 === 0) {
      lines.push(`- &engine${index}`, `  name: "engine-${index}"`, '  alias: engine', '  license: mit')
      lines.push('  capabilities:', `    default: "cpu-engine-${index}"`, `    nvidia: "cuda12-engine-${index}"`)
    } else {
      lines.push(`- !!merge <<: *engine${index - (index % 10)}`, `  name: "cpu-engine-${index}"`)
      lines.push(`  uri: "registry.example/owner/backends:latest-cpu-engine-${index}"`)
    }
  }
  return `${lines.join('\n')}\n`
}
