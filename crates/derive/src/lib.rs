//! `#[derive(Params)]`: a struct's named parameters, each declared once, at its field.
//!
//! ```ignore
//! #[derive(Params)]
//! struct CoDel {
//!     /// Target queueing delay, s.
//!     #[param("s")]
//!     target: f64,
//!     /// Packets that it has dropped.
//!     #[param(state)]
//!     drops: i32,
//!     #[param(flatten)]
//!     shared: Settings,
//! }
//! ```
//!
//! - `#[param("unit")]`: a parameter of scenarios. Its name is the field's, its description the field's documentation. Units
//!   are those of `ackclock_engine::params::Parameter`.
//! - `#[param(state)]`: a variable that can be read and set by its name, and that scenarios do not offer.
//! - `name = "delta"` gives another name, `field = value.of.it` the part of the field that has the value.
//! - `#[param(flatten)]`: all parameters of the field, whose type also derives `Params`. `prefix = "in_"` goes before
//!   their names, and the field's documentation before theirs. `field` flattens only this part of the field.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Data, DeriveInput, Error, Expr, Field, Fields, Ident, Lit, LitStr, Meta, Token};

/// What one `#[param(...)]` says.
#[derive(Default)]
struct Declared {
    unit: Option<LitStr>,
    name: Option<LitStr>,
    part: Option<TokenStream>,
    is_flattened: bool,
    prefix: Option<LitStr>,
}

impl Declared {
    fn read(attribute: &Attribute) -> syn::Result<Declared> {
        let mut declared = Declared::default();
        attribute.parse_args_with(|input: syn::parse::ParseStream| {
            while !input.is_empty() {
                if input.peek(LitStr) {
                    declared.unit = Some(input.parse()?);
                } else {
                    let key: Ident = input.parse()?;
                    match key.to_string().as_str() {
                        "state" => {}
                        "flatten" => declared.is_flattened = true,
                        "name" => declared.name = Some(text_after_equals(input)?),
                        "prefix" => declared.prefix = Some(text_after_equals(input)?),
                        "field" => {
                            input.parse::<Token![=]>()?;
                            let part: Expr = input.parse()?;
                            declared.part = Some(quote!(.#part));
                        }
                        _ => {
                            return Err(Error::new(
                                key.span(),
                                "expected a unit, state, flatten, name, prefix or field",
                            ));
                        }
                    }
                }
                if !input.is_empty() {
                    input.parse::<Token![,]>()?;
                }
            }
            Ok(())
        })?;
        Ok(declared)
    }
}

fn text_after_equals(input: syn::parse::ParseStream) -> syn::Result<LitStr> {
    input.parse::<Token![=]>()?;
    input.parse()
}

/// The field's documentation as one line.
fn documentation(field: &Field) -> String {
    let mut lines = Vec::new();
    for attribute in &field.attrs {
        if let Meta::NameValue(pair) = &attribute.meta
            && pair.path.is_ident("doc")
            && let Expr::Lit(literal) = &pair.value
            && let Lit::Str(text) = &literal.lit
        {
            lines.push(text.value().trim().to_owned());
        }
    }
    lines.join(" ")
}

/// The code for one field: how it is read, set and described.
struct Code {
    get: TokenStream,
    set: TokenStream,
    describe: TokenStream,
}

fn code(field: &Field, attribute: &Attribute) -> syn::Result<Code> {
    let declared = Declared::read(attribute)?;
    let ident = field.ident.as_ref().ok_or_else(|| Error::new_spanned(field, "a parameter needs a named field"))?;
    let part = declared.part;
    if declared.is_flattened {
        return Ok(flattened(&quote!(#ident #part), &documentation(field), declared.prefix.as_ref()));
    }
    let name = declared.name.map_or_else(|| ident.to_string(), |name| name.value());
    let describe = match declared.unit {
        None => quote!(),
        Some(unit) => {
            let about = documentation(field);
            if about.is_empty() {
                return Err(Error::new_spanned(field, "a parameter needs a line of documentation for its users"));
            }
            quote!(out.push(::ackclock_engine::params::Parameter {
                name: #name.into(),
                value: ::ackclock_engine::params::Field::value(&self.#ident #part),
                unit: #unit,
                about: #about.into(),
            });)
        }
    };
    Ok(Code {
        get: quote!(if name == #name { return Some(::ackclock_engine::params::Field::value(&self.#ident #part)); }),
        set: quote!(if name == #name {
            ::ackclock_engine::params::Field::assign(&mut self.#ident #part, value);
            return true;
        }),
        describe,
    })
}

fn flattened(place: &TokenStream, about: &str, prefix: Option<&LitStr>) -> Code {
    match prefix {
        None => Code {
            get: quote!(if let Some(value) = self.#place.own_param(name) { return Some(value); }),
            set: quote!(if self.#place.set_own_param(name, value) { return true; }),
            describe: quote!(self.#place.describe_own(out);),
        },
        Some(prefix) => Code {
            get: quote!(if let Some(value) = name.strip_prefix(#prefix).and_then(|name| self.#place.own_param(name)) {
                return Some(value);
            }),
            set: quote!(if name.strip_prefix(#prefix).is_some_and(|name| self.#place.set_own_param(name, value)) {
                return true;
            }),
            describe: quote!({
                let first = out.len();
                self.#place.describe_own(out);
                for parameter in &mut out[first..] {
                    parameter.name = ::std::format!("{}{}", #prefix, parameter.name).into();
                    parameter.about = ::std::format!("{} {}", #about, parameter.about).into();
                }
            }),
        },
    }
}

fn derive(input: &DeriveInput) -> syn::Result<TokenStream> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(input, "parameters are derived for structs"));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new_spanned(input, "parameters are derived for structs with named fields"));
    };
    let (mut get, mut set, mut describe) = (Vec::new(), Vec::new(), Vec::new());
    for field in &fields.named {
        for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("param")) {
            let code = code(field, attribute)?;
            get.push(code.get);
            set.push(code.set);
            describe.push(code.describe);
        }
    }
    let name = &input.ident;
    let (impl_generics, type_generics, condition) = input.generics.split_for_impl();
    Ok(quote! {
        impl #impl_generics #name #type_generics #condition {
            /// The value of a parameter, `None` for an unknown name.
            pub fn own_param(&self, name: &str) -> Option<::ackclock_engine::params::Value> {
                #(#get)*
                None
            }

            /// Sets a parameter; false for an unknown name.
            pub fn set_own_param(&mut self, name: &str, value: ::ackclock_engine::params::Value) -> bool {
                #(#set)*
                false
            }

            /// Appends the parameters that scenarios offer, with their present values.
            pub fn describe_own(&self, out: &mut Vec<::ackclock_engine::params::Parameter>) {
                #(#describe)*
                let _ = out;
            }
        }
    })
}

/// Derives `own_param`, `set_own_param` and `describe_own` ([the crate](crate) has the attributes).
#[proc_macro_derive(Params, attributes(param))]
pub fn derive_params(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    derive(&input).unwrap_or_else(Error::into_compile_error).into()
}
