import { asString } from '../model/json.ts'
import { uidHex } from '../resolvers/ids.ts'
import { blobOfPart, partDetail, type StoredPart } from '../resolvers/parts.ts'
import { builder } from './builder.ts'
import { PART_INTERFACES } from './part.ts'

builder.objectRef<StoredPart>('FilePart').implement({
  description: 'A file, an image or a link. Bytes are fetched by URL and never stand in an answer.',
  interfaces: PART_INTERFACES,
  fields: (t) => ({
    mediaType: t.string({
      nullable: true,
      description: 'Its media type, as recorded.',
      resolve: (part) => asString(partDetail(part)['mediaType']),
    }),
    fileName: t.string({
      nullable: true,
      description: 'Its name, as recorded.',
      resolve: (part) => asString(partDetail(part)['fileName']),
    }),
    blobUrl: t.string({
      nullable: true,
      description: 'Path on this server that its bytes are served at; null when it is a link to elsewhere.',
      resolve: ({ blob }) => (blob === null ? null : `/blobs/${uidHex(blob)}`),
    }),
    sha256: t.string({
      nullable: true,
      description: 'SHA-256 of its bytes, in hexadecimal digits.',
      resolve: ({ blob }) => (blob === null ? null : uidHex(blob)),
    }),
    byteLength: t.field({
      type: 'SafeInt',
      nullable: true,
      description: 'Number of its bytes.',
      resolve: async (part, _, { scope }) => (await blobOfPart(scope, part))?.byteLength ?? null,
    }),
    width: t.int({
      nullable: true,
      description: 'Pixels of an image from side to side.',
      resolve: async (part, _, { scope }) => (await blobOfPart(scope, part))?.width ?? null,
    }),
    height: t.int({
      nullable: true,
      description: 'Pixels of an image from top to bottom.',
      resolve: async (part, _, { scope }) => (await blobOfPart(scope, part))?.height ?? null,
    }),
    url: t.string({
      nullable: true,
      description: 'The link that was recorded, when it is no inline data.',
      resolve: (part) => asString(partDetail(part)['url']),
    }),
  }),
})
