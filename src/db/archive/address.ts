/** Where a record stands in the archive: its stream and its number there. Sealing, merging and updating never change it. */
export interface RecordAddress {
  readonly streamId: number
  readonly no: number
}

/** Key of an address in maps. */
export const addressKey = ({ streamId, no }: RecordAddress): string => `${streamId}:${no}`
