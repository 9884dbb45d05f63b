import { describe, expect, it } from 'vitest'
import { findGalleryFault, KNOWN_GALLERIES, suggestName } from './known-galleries.ts'

describe('a gallery to add', () => {
  const present = [{ name: 'main', url: 'https://gallery.example/models.yaml', mirrors: [] }]
  it.each([
    ['other', 'https://other.example/index.yaml', undefined],
    ['other', 'github:owner/repo/index.yaml@main', undefined],
    ['other', 'oci://registry.example/gallery:1', undefined],
    ['', 'https://other.example/index.yaml', 'name'],
    ['two words', 'https://other.example/index.yaml', 'name'],
    ['a@b', 'https://other.example/index.yaml', 'name'],
    ['other', 'other.example/index.yaml', 'url'],
    ['other', 'javascript:alert(1)', 'url'],
    ['other', 'https://other.example/a b', 'url'],
    ['main', 'https://other.example/index.yaml', 'taken'],
    ['other', 'https://gallery.example/models.yaml', 'known'],
  ])('%j at %j has the fault %s', (name, url, fault) => {
    expect(findGalleryFault({ name, url }, present)).toBe(fault)
  })
  it.each([
    ['github:mudler/LocalAI/gallery/index.yaml@master', 'mudler'],
    ['https://gallery.example:8443/models.yaml', 'gallery.example'],
    ['oci://registry.example/gallery:1', 'registry.example'],
    ['hf://owner/repo/index.yaml', 'owner'],
    ['file:///models/index.yaml', ''],
    ['nonsense', ''],
  ])('at %j is called %j', (url, name) => {
    expect(suggestName(url)).toBe(name)
  })
  it.each(KNOWN_GALLERIES)('$name of the known ones has no fault', (gallery) => {
    expect(findGalleryFault(gallery, [])).toBeUndefined()
  })
})
