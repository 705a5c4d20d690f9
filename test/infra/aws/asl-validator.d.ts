declare module "asl-validator" {
  /** Checks a definition; it writes defaults into the object that it is given. */
  export default function validate(definition: object): { isValid: boolean; errors: object[] };
}
