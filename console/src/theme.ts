import {
  Button,
  createTheme,
  Drawer,
  Input,
  localStorageColorSchemeManager,
  Modal,
  NativeSelect,
  Skeleton,
  Textarea,
  TextInput,
} from "@mantine/core";

const small = { defaultProps: { size: "xs" } };
/** A page that is kept from scrolling would need an inline style sheet, which the content security policy refuses. */
const dialog = { defaultProps: { lockScroll: false } };

/** What the parts of Mantine have in common here: the density of a tool. Colours are in styles.css. */
export const theme = createTheme({
  respectReducedMotion: true,
  components: {
    Button: Button.extend({ defaultProps: { size: "compact-sm", variant: "default" } }),
    Drawer: Drawer.extend(dialog),
    Input: Input.extend(small),
    Modal: Modal.extend(dialog),
    NativeSelect: NativeSelect.extend(small),
    Skeleton: Skeleton.extend({ defaultProps: { animate: true } }),
    Textarea: Textarea.extend({ defaultProps: { size: "xs", autosize: false } }),
    TextInput: TextInput.extend(small),
  },
});

/** Light, dark, or as the browser says until a user chooses. */
export const colours = localStorageColorSchemeManager({ key: "slipway.colours" });
